-- What to do with a slot, by whether a run exists for it and in which state.
create or replace function pgbackfill._slot_decision(
  p_run_exists boolean,
  p_state text,
  p_reprocess_behavior text,
  p_is_partition boolean
)
returns table (action text, exception_reason text)
language sql
immutable
rows 1
as $$
  select
    case
      when not p_run_exists then 'create'
      when d.reason is not null then 'skip'
      when p_is_partition then 'create'
      else 'clear'
    end,
    d.reason
  from (
    select case
      when not p_run_exists then null
      when p_state in ('success', 'failed') is not true then 'in flight'
      when p_reprocess_behavior = 'none' then 'already exists'
      when p_reprocess_behavior = 'failed' and p_state <> 'failed' then 'already exists'
    end as reason
  ) d;
$$;

comment on function pgbackfill._slot_decision(boolean, text, text, boolean) is
  'Airflow''s _get_dag_run_no_create_reason: action create, clear or skip, and the reason of a skip. A partition gets a new run beside the old one.';

revoke all on function pgbackfill._slot_decision(boolean, text, text, boolean) from public;
