"""What a failed run does to its backfill: the table of policies and their functions.

No foreign key leads from the table to Airflow's: Airflow must stay free to drop or rewrite those.

Locks: none on Airflow's tables.
"""

from pgbackfill.objects import install, remove, run_sql, set_lock_timeout

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

CREATE = """
create table pgbackfill.failure_policy (
  backfill_id integer primary key,
  on_failure text not null check (on_failure in ('pause', 'cancel')),
  armed_at timestamptz not null,
  applied_at timestamptz
);
comment on table pgbackfill.failure_policy is
  'What the next failed run of a backfill does to it; without a row, nothing. applied_at: when it was done, once. The row is changed only by who holds the backfill row.';
"""

FILES = [
    "guard/_check_on_failure",
    "guard/_arm_failure_policy",
    "guard/_cancel",
    "guard/_failure_policy_is_due",
    "guard/_apply_failure_policy",
    "lifecycle/set_failure_policy",
    "guard/_on_failed_run",
    "guard/_on_started_run",
    "guard/_on_cancelled_run",
    "guard/_on_attached_run",
]


def upgrade() -> None:
    set_lock_timeout()
    run_sql(CREATE)
    install(FILES)


def downgrade() -> None:
    remove(FILES)
    run_sql("drop table pgbackfill.failure_policy;")
