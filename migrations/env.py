"""Alembic's entry point: one version table in pgbackfill's own schema, one transaction per revision.

Airflow's `alembic_version` is never read nor written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from alembic import context
from pgbackfill.migrate import OPTIONS_ATTRIBUTE, MigrationInProgress, MigrationOptions, connect
from pgbackfill.objects import refuse_other_schema, refuse_removal, run_sql, set_lock_timeout
from sqlalchemy import text
from sqlalchemy.engine import Connection

CONFIGURATION: dict[str, Any] = {
    "version_table": "alembic_version",
    "version_table_schema": "pgbackfill",
    "transaction_per_migration": True,
    "transactional_ddl": True,
}

# Alembic creates its version table before the first revision runs, so the schema cannot wait for that revision.
CREATE_SCHEMA = """do $$
begin
  if to_regnamespace('pgbackfill') is null then
    create schema pgbackfill;
    comment on schema pgbackfill is 'Backfills as a database primitive for Apache Airflow';
  end if;
end
$$;"""

# Alembic leaves the empty table behind after the last downgrade, and after a first revision that was refused.
# No CASCADE: what somebody else put into the schema is theirs, and the drop says so.
DROP_EMPTY_SCHEMA = """do $$
begin
  if to_regclass('pgbackfill.alembic_version') is not null then
    if exists (select from pgbackfill.alembic_version) then
      return;
    end if;
    drop table pgbackfill.alembic_version;
  end if;
  drop schema if exists pgbackfill;
end
$$;"""

# Session level, because a revision that builds an index concurrently ends its transaction in the middle.
MIGRATION_LOCK = text("select pg_try_advisory_lock(hashtext('pgbackfill'), hashtext('migrate'))")


def options() -> MigrationOptions:
    """The options that `pgbackfill migrate` passed, else those of the alembic command line."""
    given = context.config.attributes.get(OPTIONS_ATTRIBUTE)
    if given is not None:
        assert isinstance(given, MigrationOptions)
        return given
    arguments = context.get_x_argument(as_dictionary=True)
    return MigrationOptions(
        dsn=str(arguments.get("dsn", os.environ.get("PGBACKFILL_DSN", ""))),
        host_schema=str(arguments.get("schema", MigrationOptions.host_schema)),
        lock_timeout=str(arguments.get("lock_timeout", MigrationOptions.lock_timeout)),
        drop_data=arguments.get("drop_data", "no") == "yes",
    )


def ends_at_base() -> bool:
    """Whether this is a downgrade that removes everything."""
    return context.get_context().opts.get("destination_rev") == "base"


def described(steps: Callable[..., Iterable[Any]]) -> Callable[..., Iterator[Any]]:
    """`steps`, which prints above each step what its revision says about itself, its locks above all."""

    def print_and_yield(*args: Any) -> Iterator[Any]:
        for step in steps(*args):
            text = (step.revision.module.__doc__ or "").strip()
            comment = "\n".join(f"-- {line}".rstrip() for line in text.splitlines())
            context.get_context().impl.static_output(f"-- {step.revision.revision}\n{comment}")
            yield step

    return print_and_yield


def check_step(ctx: Any, step: Any, heads: set[str], run_args: dict[str, Any]) -> None:
    """End a printed step with a look at the revision, so that a client that goes on after an error undoes it."""
    wanted = f"(select v.version_num from pgbackfill.alembic_version v) is distinct from {_literal(heads)}"
    ctx.impl.static_output(
        f"do $$\nbegin\n  if {wanted} then\n"
        f"    raise exception 'the step before this one has failed: {step.up_revision_id} is undone';\n"
        "  end if;\nend\n$$;\n"
    )


def _literal(heads: set[str]) -> str:
    return f"'{next(iter(heads))}'" if heads else "null"


def run_offline() -> None:
    settings: dict[str, Any] = {
        "dialect_name": "postgresql",
        "literal_binds": True,
        "on_version_apply": check_step,
        **CONFIGURATION,
    }
    context.configure(**settings)
    context.configure(**settings, fn=described(context.get_context().opts["fn"]))
    run_sql(CREATE_SCHEMA)
    refuse_other_schema()
    if ends_at_base():
        refuse_removal()
    context.run_migrations()
    run_sql(DROP_EMPTY_SCHEMA)


def run_online(connection: Connection) -> None:
    context.configure(connection=connection, **CONFIGURATION)
    if context.get_context().opts.get("dont_mutate"):
        context.run_migrations()
        return
    with connection.begin():
        if not connection.execute(MIGRATION_LOCK).scalar():
            raise MigrationInProgress
        set_lock_timeout()
        run_sql(CREATE_SCHEMA)
        refuse_other_schema()
        if ends_at_base():
            refuse_removal()
    try:
        context.run_migrations()
        if connection.in_transaction():  # where there was nothing to do, that of Alembic's look at the revision
            connection.commit()
    finally:
        if not connection.closed and not connection.invalidated and not connection.in_transaction():
            with connection.begin():
                set_lock_timeout()
                run_sql(DROP_EMPTY_SCHEMA)


context.config.attributes[OPTIONS_ATTRIBUTE] = options()
if context.is_offline_mode():
    run_offline()
else:
    with connect(options().dsn) as connection:
        run_online(connection)
