"""The guard's triggers on dag_run.

Locks: SHARE ROW EXCLUSIVE on `dag_run` for the time of a catalog change (down: ACCESS EXCLUSIVE).
"""

from pgbackfill.objects import install, remove

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

FILES = [
    "guard/pgbackfill_new_run",
    "guard/pgbackfill_changed_run",
]


def upgrade() -> None:
    install(FILES)


def downgrade() -> None:
    remove(FILES)
