"""The guard's functions, and its trigger on backfill_dag_run.

The guard comes in three revisions, so that no transaction holds a lock on two of Airflow's tables: Airflow's own deletes
take those locks in either order, and would deadlock with it.

Locks: SHARE ROW EXCLUSIVE on `backfill_dag_run` for the time of a catalog change (down: ACCESS EXCLUSIVE).
"""

from pgbackfill.objects import install, remove

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

FILES = [
    "guard/_record_event",
    "guard/_last_event",
    "guard/_event_writers",
    "guard/_settled_event_id",
    "guard/events_after",
    "guard/_creator_is_alive",
    "guard/_has_unfinished_runs",
    "guard/_initialization_grace",
    "guard/_is_initializing",
    "guard/_has_slots",
    "guard/_was_paused_long_ago",
    "guard/_was_cut_short",
    "guard/_record_creation",
    "guard/_guard_backfill_update",
    "guard/_finish_initialization",
    "guard/pgbackfill_finish_initialization",
]


def upgrade() -> None:
    install(FILES)


def downgrade() -> None:
    remove(FILES)
