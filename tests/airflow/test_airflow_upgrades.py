"""Airflow's own upgrades and downgrades go through with pgbackfill in place, and the guard is still there after each."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cli.conftest import command_on
from pgbackfill import migrate
from support.airflow import RELEASES, AirflowDatabase, install


@pytest.mark.timeout(900)
@pytest.mark.parametrize("airflow", ["3.0.6"], indirect=True)
def test_up_to_the_newest_release_and_back(airflow_db: AirflowDatabase) -> None:
    airflow_db.script(
        "create_backfill.py",
        [
            {
                "dag_id": "linear",
                "from_date": "2026-01-05T00:00:00+00:00",
                "to_date": "2026-01-07T00:00:00+00:00",
            }
        ],
    )
    migrate.upgrade(airflow_db.dsn)
    before = guard(airflow_db)
    assert len(before) >= 9
    first, *others = RELEASES
    for release in others:
        database = replace(airflow_db, airflow=install(release))
        database.command("db", "migrate")
        assert guard(database) == before, release
    database.command("db", "downgrade", "--to-version", first, "--yes")
    assert guard(airflow_db) == before
    with airflow_db.connect() as conn:
        assert conn.execute("select dag_id, status from pgbackfill.backfills").fetchall() == [("linear", "queued")]


@pytest.mark.parametrize("airflow", ["3.3.2"], indirect=True)
def test_after_airflows_own_reset_the_command_says_how_to_start_over(airflow_db: AirflowDatabase) -> None:
    migrate.upgrade(airflow_db.dsn)
    before = guard(airflow_db)
    pgb = command_on(airflow_db.dsn)
    airflow_db.command("db", "reset", "--skip-init", "--yes")
    assert (
        "hint: They are gone: pgbackfill uninstall. With an Airflow, airflow db migrate" in pgb("migrate", status=1).err
    )
    airflow_db.command("db", "migrate")
    assert guard(airflow_db) == []
    advice = "hint: They were made anew: pgbackfill uninstall, then pgbackfill migrate, and grant again."
    assert advice in pgb("status", status=1).err
    assert advice in pgb("migrate", status=1).err
    pgb("uninstall", "--yes")
    pgb("migrate")
    assert guard(airflow_db) == before


def guard(database: AirflowDatabase) -> list[tuple[str, ...]]:
    """What pgbackfill put on Airflow's tables."""
    with database.connect() as conn:
        return conn.execute(
            """
            select c.relname::text, 'trigger', t.tgname::text
            from pg_trigger t join pg_class c on c.oid = t.tgrelid
            where t.tgname like 'pgbackfill%' and t.tgenabled = 'O'
            union all
            select c.relname, 'index', i.relname
            from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
            where i.relname like 'pgbackfill%' and x.indisvalid and c.relnamespace = 'public'::regnamespace
            union all
            select c.relname, 'column', a.attname
            from pg_attribute a join pg_class c on c.oid = a.attrelid
            where a.attname = 'initialized_at' and c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
            order by 1, 2, 3
            """
        ).fetchall()
