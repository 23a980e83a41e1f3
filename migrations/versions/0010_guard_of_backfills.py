"""The guard's triggers on backfill.

Locks: SHARE ROW EXCLUSIVE on `backfill` for the time of a catalog change (down: ACCESS EXCLUSIVE).
"""

from pgbackfill.objects import install, remove

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

FILES = [
    "guard/pgbackfill_record_creation",
    "guard/pgbackfill_guard_update",
]


def upgrade() -> None:
    install(FILES)


def downgrade() -> None:
    remove(FILES)
