"""The package's own tables: what happened to a backfill, the idempotency keys of creations, and failure policies.

They come before anything is changed, so that every change to a backfill leaves its mark in `event`, also those that
the revisions above make, and `pgbackfill repair duplicates` before them.

No foreign key leads from them to Airflow's tables: Airflow must stay free to drop or rewrite those.

Locks: none on Airflow's tables (down: row locks on the backfills whose flag is set again).
"""

from pgbackfill.objects import run_file, run_sql, set_lock_timeout

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

CREATE = """
create table pgbackfill.event (
  id bigint generated always as identity primary key,
  backfill_id integer not null,
  dag_id text not null,
  event text not null,
  occurred_at timestamptz not null,
  detail jsonb not null default '{}'
);
create index event_backfill_id on pgbackfill.event (backfill_id, id);
comment on table pgbackfill.event is
  'What happened to each backfill, whoever did it: created, initialized, paused, unpaused, cancelled, completed, initialization_failed, completion_refused, failure_policy_*. detail.by: who, where it was not the backfill''s own life (migration, repair). Rows of backfills that nobody asks about any more may be deleted: the status of a completed one is read from its last event.';

create table pgbackfill.idempotency_key (
  key text primary key,
  request jsonb not null,
  backfill_id integer not null,
  created_at timestamptz not null
);
comment on table pgbackfill.idempotency_key is
  'The request that each idempotency key was first used with, and the backfill it made. Old rows may be deleted at will.';

create table pgbackfill.failure_policy (
  backfill_id integer primary key,
  on_failure text not null check (on_failure in ('pause', 'cancel')),
  armed_at timestamptz not null,
  applied_at timestamptz,
  applied_by xid8
);
comment on table pgbackfill.failure_policy is
  'What the next failed run of a backfill does to it; without a row, nothing. applied_at: when it was done, once; applied_by: in which transaction. The row is changed only by who holds the backfill row.';
"""


def upgrade() -> None:
    set_lock_timeout()
    run_sql(CREATE)


def downgrade() -> None:
    """The memory of what the revisions above changed goes here, so what they did to `is_paused` is undone here.

    Not where it was done: the guard's triggers, which still stand there, would clear the flag again.
    """
    set_lock_timeout()
    run_file("guard/restore_stale_pauses")
    run_sql(
        "drop table pgbackfill.failure_policy;\ndrop table pgbackfill.idempotency_key;\ndrop table pgbackfill.event;"
    )
