"""Completed backfills that are still flagged as paused: the flag is cleared, and stranded runs start.

Airflow's cancel leaves the flag set, and a run of such a backfill that is cleared later stays queued for ever (#72337).
The guard keeps it from happening again; this mends what happened before. Each backfill gets an event, which also keeps
its status `cancelled`. Removing pgbackfill sets the flag again (0002), unless the row was changed since: runs that
started meanwhile stay started.

Locks: row locks on the rows that are cleared, in the order of their ids; no live backfill is among them.
"""

from pgbackfill.objects import run_file, set_lock_timeout

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    set_lock_timeout()
    run_file("guard/clear_stale_pauses")


def downgrade() -> None:
    """Nothing to do: the flags are set again by 0002, once the guard's triggers are gone."""
