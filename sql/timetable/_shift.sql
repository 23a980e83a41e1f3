-- p_at moved by a timedelta or relativedelta, in UTC.
create or replace function pgbackfill._shift(p_at timestamptz, p_delta pgbackfill.relativedelta)
returns timestamptz
language sql
stable
as $$
  select case
    when p_delta.only_adds then (p_at at time zone 'UTC' + p_delta.months + p_delta.elapsed) at time zone 'UTC'
    else pgbackfill._add_relativedelta(p_at at time zone 'UTC', p_delta) at time zone 'UTC'
  end
$$;

comment on function pgbackfill._shift(timestamptz, pgbackfill.relativedelta) is
  'Has no search_path of its own so that the planner can inline it; its callers pin theirs.';

revoke all on function pgbackfill._shift(timestamptz, pgbackfill.relativedelta) from public;
