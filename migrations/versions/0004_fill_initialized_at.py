"""Backfills that are complete, or that have slots, count as initialized when they were created.

Locks: row locks on the rows filled in, of a strength that neither a foreign key check nor a creation under way waits for.
"""

from pgbackfill.objects import run_file, set_lock_timeout

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    set_lock_timeout()
    run_file("guard/fill_initialized_at")


def downgrade() -> None:
    """Nothing to do: the column itself goes with the revision below."""
