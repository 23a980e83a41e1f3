-- What a release of Airflow writes in another way than others do.
create type pgbackfill.release_rules as (
  trace_flags text,
  traces_detail_level boolean,
  names_operators boolean,
  moves_runs boolean,
  moves_bundle_anyway boolean,
  moves_running_tasks boolean,
  moves_runs_without_version boolean,
  replaces_conf boolean,
  keeps_null_conf boolean,
  ends_attempts_again boolean
);

comment on type pgbackfill.release_rules is 'How this release of Airflow differs from others in what it writes; _release_rules says which does what, and why.';
