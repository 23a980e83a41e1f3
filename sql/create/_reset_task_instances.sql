-- Gives every task instance of these runs a new attempt, with the attributes that its task has now.
create or replace function pgbackfill._reset_task_instances(
  p_dag_id text,
  p_runs pgbackfill.new_dag_run[],
  p_templates pgbackfill.task_template[],
  p_moves_to pgbackfill.serialized_dag,
  p_rules pgbackfill.release_rules
)
returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  with task as materialized (
    select distinct on (t.task_id) t.* from unnest(p_templates) t order by t.task_id, t.map_index
  )
  update public.task_instance ti
  set id = pgbackfill._uuid7(),
      state = case when o.state = 'running' then 'restarting' end,
      pool = case when o.state is distinct from 'running' and t.task_id is not null then t.pool else ti.pool end,
      pool_slots = case when o.state is distinct from 'running' and t.task_id is not null then t.pool_slots else ti.pool_slots end,
      queue = case when o.state is distinct from 'running' and t.task_id is not null then t.queue else ti.queue end,
      priority_weight = case
        when o.state is distinct from 'running' and t.task_id is not null then t.priority_weight else ti.priority_weight
      end,
      operator = case when o.state is distinct from 'running' and t.task_id is not null then t.operator else ti.operator end,
      custom_operator_name = case
        when o.state is distinct from 'running' and t.task_id is not null then t.custom_operator_name else ti.custom_operator_name
      end,
      executor = case when o.state is distinct from 'running' and t.task_id is not null then t.executor else ti.executor end,
      executor_config = case
        when o.state is distinct from 'running' and t.task_id is not null then t.executor_config else ti.executor_config
      end,
      max_tries = case
        when o.state = 'running' then ti.max_tries
        when t.task_id is not null then ti.try_number + t.retries
        else greatest(ti.max_tries, ti.try_number)
      end,
      external_executor_id = case when o.state = 'running' then ti.external_executor_id end,
      next_method = case when o.state = 'running' then ti.next_method end,
      next_kwargs = case when o.state = 'running' then ti.next_kwargs end,
      dag_version_id = coalesce(
        case when o.state is distinct from 'running' or p_rules.moves_running_tasks then p_moves_to.dag_version_id end,
        ti.dag_version_id,
        case when p_rules.moves_runs_without_version then d.created_dag_version_id end
      ),
      context_carrier = coalesce(r.context_carrier, ti.context_carrier::jsonb),
      updated_at = (select pgbackfill._now())
  from unnest(p_runs) r
  join public.dag_run d on d.id = r.dag_run_id
  join public.task_instance o on o.dag_id = p_dag_id and o.run_id = r.run_id
  left join task t on t.task_id = o.task_id
  where ti.id = o.id;
$$;

comment on function pgbackfill._reset_task_instances(text, pgbackfill.new_dag_run[], pgbackfill.task_template[], pgbackfill.serialized_dag, pgbackfill.release_rules) is
  'The task_instance part of Airflow''s clear_task_instances: a new id, no state (a running one restarts), the task''s attributes, max_tries counted on. Rows that refer to the id follow by their foreign keys; those of task_reschedule, which do not, are deleted by _archive_task_instances before.';

revoke all on function pgbackfill._reset_task_instances(text, pgbackfill.new_dag_run[], pgbackfill.task_template[], pgbackfill.serialized_dag, pgbackfill.release_rules) from public;
