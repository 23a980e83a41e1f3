"""Runs with SQLAlchemy 1.4: a backfill through a connection and a session, told as JSON."""

import json
import sys
from datetime import datetime, timezone

import pgbackfill
import psycopg2
import sqlalchemy
from sqlalchemy.orm import Session, sessionmaker

FIRST = datetime(2026, 1, 1, tzinfo=timezone.utc)
LAST = datetime(2026, 1, 3, tzinfo=timezone.utc)

dsn = json.load(sys.stdin)
told = {"sqlalchemy": sqlalchemy.__version__}
for future in (False, True):
    engine = sqlalchemy.create_engine("postgresql+psycopg2://", creator=lambda: psycopg2.connect(dsn), future=future)
    with engine.connect() as conn, conn.begin() as transaction:
        pgbackfill.register_dag(conn, "daily", "0 0 * * *")
        created = pgbackfill.create_backfill(conn, "daily", FIRST, LAST, dag_run_conf={"x": [":a", "%"]})
        told[f"connection, future={future}"] = [created.from_date.isoformat(), created.dag_run_conf]
        transaction.rollback()
    with Session(engine, future=future) as session:
        told[f"after rollback, future={future}"] = len(pgbackfill.list_backfills(session))
    with sessionmaker(engine, future=future)() as session:
        try:
            pgbackfill.create_backfill(session, "daily", FIRST, LAST)
        except pgbackfill.DagNotFound as refused:
            told[f"refusal, future={future}"] = [refused.message, type(refused.__cause__).__name__]
    engine.dispose()
print(json.dumps(told))
