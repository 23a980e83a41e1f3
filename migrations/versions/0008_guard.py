"""The guard: triggers on Airflow's tables that hold for every writer.

Locks: SHARE ROW EXCLUSIVE on `backfill`, then on `backfill_dag_run`, for the time of a catalog change.
"""

from pgbackfill.objects import install, remove, run_file

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

FILES = [
    "guard/_record_event",
    "guard/_last_event",
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
    "guard/pgbackfill_record_creation",
    "guard/pgbackfill_guard_update",
    "guard/pgbackfill_finish_initialization",
]


def upgrade() -> None:
    install(FILES)
    # What Airflow created since the column was filled. The triggers' locks have waited for every creation under way.
    run_file("guard/fill_initialized_at")


def downgrade() -> None:
    remove(FILES)
