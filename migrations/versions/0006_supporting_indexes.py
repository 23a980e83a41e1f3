"""Indexes from a backfill to its runs and back: Airflow has none, and every sweep reads both ways.

Locks: SHARE UPDATE EXCLUSIVE on `dag_run` and `backfill_dag_run` while each index is built (readers and writers go on). After a build that failed, also ACCESS EXCLUSIVE
for the time of dropping what it left.
"""

from pgbackfill.objects import build_index, drop_index

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

RUNS_OF_BACKFILL = "pgbackfill_dag_run_backfill_id"
SLOTS_OF_RUN = "pgbackfill_backfill_dag_run_dag_run_id"


def upgrade() -> None:
    build_index(RUNS_OF_BACKFILL)
    build_index(SLOTS_OF_RUN)


def downgrade() -> None:
    drop_index(SLOTS_OF_RUN)
    drop_index(RUNS_OF_BACKFILL)
