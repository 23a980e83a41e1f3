"""${message}

Locks: <which, on what, how long>
"""

from pgbackfill.objects import install, remove

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = None
depends_on = None


def upgrade() -> None:
    ${upgrades if upgrades else "install(FILES)"}


def downgrade() -> None:
    ${downgrades if downgrades else "remove(FILES)"}
