"""What a failed run does to its backfill.

Locks: none on Airflow's tables.
"""

from pgbackfill.objects import install, remove

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

FILES = [
    "guard/_failure_policy_is_due",
    "guard/_apply_failure_policy",
    "guard/_was_cancelled_here",
    "lifecycle/set_failure_policy",
    "guard/_check_attachment",
    "guard/_on_new_run",
    "guard/_on_changed_run",
]


def upgrade() -> None:
    install(FILES)


def downgrade() -> None:
    remove(FILES)
