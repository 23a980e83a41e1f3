"""Backfills whose slots Airflow wrote after the column was filled and before the trigger was there.

Locks: row locks on the rows filled in, of a strength that neither a foreign key check nor a creation under way waits for.
"""

from pgbackfill.objects import run_file, set_lock_timeout

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    set_lock_timeout()
    run_file("guard/fill_initialized_at")


def downgrade() -> None:
    """Nothing to do: the column itself goes with a revision below."""
