-- Holds the active backfills of the DAGs that have several, and so waits for the creations that are writing their runs.
-- Lock order: backfill rows by id. FOR UPDATE, unlike what an update takes, conflicts with the foreign keys of new runs.
select b.id
from public.backfill b
where b.completed_at is null
  and exists (select from public.backfill o where o.dag_id = b.dag_id and o.id <> b.id and o.completed_at is null)
order by b.id
for update;
