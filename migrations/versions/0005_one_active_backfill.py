"""At most one active backfill per DAG, by a partial unique index.

Airflow checks, then inserts: two requests at once make two. With the index the second one fails, which Airflow's REST API
answers with 409.

Locks: SHARE UPDATE EXCLUSIVE on `backfill` while the index is built (readers and writers go on). After a build that failed, also ACCESS EXCLUSIVE
for the time of dropping what it left.
"""

from pgbackfill.objects import build_index, drop_index, run_file

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_file("guard/no_duplicate_active_backfills")
    build_index("pgbackfill_one_active_backfill")


def downgrade() -> None:
    drop_index("pgbackfill_one_active_backfill")
