"""The package's own tables: what happened to a backfill, and the idempotency keys of creations.

No foreign key leads from them to Airflow's tables: Airflow must stay free to drop or rewrite those.

Locks: none on Airflow's tables.
"""

from pgbackfill.objects import run_sql, set_lock_timeout

revision = "0006"
down_revision = "0005"
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
  'What happened to each backfill, whoever did it: created, initialized, paused, unpaused, cancelled, completed, initialization_failed, completion_refused.';

create table pgbackfill.idempotency_key (
  key text primary key,
  request jsonb not null,
  backfill_id integer not null,
  created_at timestamptz not null
);
comment on table pgbackfill.idempotency_key is
  'The request that each idempotency key was first used with, and the backfill it made. Old rows may be deleted at will.';
"""


def upgrade() -> None:
    set_lock_timeout()
    run_sql(CREATE)


def downgrade() -> None:
    set_lock_timeout()
    run_sql("drop table pgbackfill.idempotency_key;\ndrop table pgbackfill.event;")
