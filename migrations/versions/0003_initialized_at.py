"""backfill.initialized_at: when all runs of a backfill had been written; null while its creation is under way.

Locks: ACCESS EXCLUSIVE on `backfill` for the time of a catalog change (no rewrite).
"""

from pgbackfill.objects import run_sql, set_lock_timeout

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

# The comment marks the column as ours: one of the same name that Airflow itself brought stays when pgbackfill goes.
MARK = "pgbackfill: when all runs of this backfill had been written (UTC); null while its creation is under way"

ADD_COLUMN = f"""
do $$
begin
  if not exists (
    select
    from pg_attribute a
    where a.attrelid = 'public.backfill'::regclass and a.attname = 'initialized_at' and not a.attisdropped
  ) then
    alter table public.backfill add column initialized_at timestamptz;
    comment on column public.backfill.initialized_at is '{MARK}';
  end if;
end
$$;
"""

DROP_COLUMN = """
do $$
begin
  if exists (
    select
    from pg_attribute a
    where a.attrelid = to_regclass('public.backfill')
      and a.attname = 'initialized_at'
      and not a.attisdropped
      and col_description(a.attrelid, a.attnum) like 'pgbackfill:%'
  ) then
    alter table public.backfill drop column initialized_at;
  end if;
end
$$;
"""


def upgrade() -> None:
    set_lock_timeout()
    run_sql(ADD_COLUMN)


def downgrade() -> None:
    set_lock_timeout()
    run_sql(DROP_COLUMN)
