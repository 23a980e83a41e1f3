-- The wall clock times strictly between p_after and p_before that a cron expression matches.
create or replace function pgbackfill._cron_walls(p_cron pgbackfill.cron_fields, p_after timestamp, p_before timestamp)
returns setof timestamp
language sql
immutable
as $$
  select w.at
  from (
    -- In the select list and not in the from clause, where it would be a scan for each day.
    select d + unnest(p_cron.times) as at from pgbackfill._cron_days(p_cron, p_after::date, p_before::date) d
  ) w
  where w.at > p_after
    and w.at < p_before
$$;

comment on function pgbackfill._cron_walls(pgbackfill.cron_fields, timestamp, timestamp) is
  'Has no search_path of its own so that the planner can inline it; its callers pin theirs.';

revoke all on function pgbackfill._cron_walls(pgbackfill.cron_fields, timestamp, timestamp) from public;
