"""How revisions put SQL files into a database and take them out again.

A file of `sql/` holds one object and is its only definition; a revision lists files and holds no bodies. The same text
runs online and, under `--sql`, is printed byte for byte: neither way passes through SQLAlchemy's `text()`, which would
read `:name` and `%` in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from alembic import context

from pgbackfill.migrate import OPTIONS_ATTRIBUTE, MigrationOptions
from pgbackfill.resources import INDEXES, TABLES, functions, sql_dir, views

_OBJECT = re.compile(
    r"^create (?:or replace )?(?:constraint )?(?P<kind>function|view|type|trigger) (?P<name>[\w.]+)"
    r"(?:.*?\bon (?P<table>[\w.]+))?",
    re.MULTILINE | re.DOTALL,
)
_SIGNATURE = re.compile(r"^comment on function ([\w.]+\(.*?\)) is$", re.MULTILINE)
_HOST_PREFIX = re.compile(r"\bpublic\.")

_REFUSE_STRANGERS = """do $$
declare
  v_strangers text;
begin
  select string_agg(o.name, ', ' order by o.name)
  into v_strangers
  from (
    select p.oid::regprocedure::text
    from pg_proc p
    where p.pronamespace = to_regnamespace('pgbackfill') and p.proname <> all('{{{functions}}}'::name[])
    union all
    select c.oid::regclass::text
    from pg_class c
    where c.relnamespace = to_regnamespace('pgbackfill')
      and c.relkind in ('r', 'p', 'v', 'm', 'f')
      and c.relname <> all('{{{relations}}}'::name[])
  ) o(name);
  if v_strangers is not null then
    raise exception 'the schema pgbackfill has objects that are not pgbackfill''s: %', v_strangers
      using errcode = 'dependent_objects_still_exist', hint = 'Move them to a schema of their own, or drop them.';
  end if;
end
$$;"""

_DROP_STALE_TRIGGER = """do $$
begin
  if exists (select from pg_trigger t where t.tgrelid = to_regclass('{table}') and t.tgname = '{name}') then
    drop trigger {name} on {table};
  end if;
end
$$;"""

# A concurrent build waits for the transactions that are older than itself, and nobody queues behind that wait.
_WAIT_FOR_OLDER_TRANSACTIONS = "set lock_timeout = '10min';\nset statement_timeout = 0;"
_WAIT_AS_BEFORE = "reset lock_timeout;\nreset statement_timeout;"


def quote_identifier(name: str) -> str:
    """`name` as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def options() -> MigrationOptions:
    """The options of the migration that is running."""
    given = context.config.attributes[OPTIONS_ATTRIBUTE]
    assert isinstance(given, MigrationOptions)
    return given


def in_schema(sql: str, host_schema: str) -> str:
    """`sql` for an Airflow whose tables are in `host_schema` and not in `public`."""
    if host_schema == "public":
        return sql
    return _HOST_PREFIX.sub(lambda _: quote_identifier(host_schema) + ".", sql)


def run_sql(sql: str) -> None:
    """Run `sql` (one or several statements) as it stands, or print it under `--sql`.

    `public.` in it means the schema of Airflow's tables.
    """
    sql = in_schema(sql, options().host_schema)
    migration = context.get_context()
    if migration.as_sql:
        migration.impl.static_output(sql.strip() + "\n")
    else:
        assert migration.connection is not None
        migration.connection.exec_driver_sql(sql, execution_options={"no_parameters": True})


def set_lock_timeout() -> None:
    """Bound every lock wait of the running revision's transaction."""
    run_sql(f"set local lock_timeout = {_literal(options().lock_timeout)};")


def install(files: Sequence[str]) -> None:
    """Create the objects of `files`, in that order; a trigger that is there already is replaced.

    A file is `room/name`, or `room/name.variant` where several functions share a name.
    """
    set_lock_timeout()
    for file in files:
        found = _OBJECT.search(read_sql(file))
        if found is not None and found["kind"] == "trigger":
            run_sql(_DROP_STALE_TRIGGER.format(name=found["name"], table=found["table"]))
        run_sql(read_sql(file))


def remove(files: Sequence[str]) -> None:
    """Drop the objects of `files`, last first; one that went with a table of Airflow's (`airflow db reset`) is gone."""
    set_lock_timeout()
    for file in reversed(files):
        run_sql(_drop_statement(file))


def read_sql(file: str) -> str:
    """The text of `file` (`room/name`)."""
    return (sql_dir() / f"{file}.sql").read_text(encoding="utf-8")


def _drop_statement(file: str) -> str:
    text = read_sql(file)
    found = _OBJECT.search(text)
    if found is None:
        raise ValueError(f"sql/{file}.sql creates no function, view, type or trigger")
    kind, name = found["kind"], found["name"]
    if signature := _SIGNATURE.search(text):
        name = signature[1]  # a name alone is not enough where several functions share it
    if kind == "trigger":
        return f"drop trigger if exists {name} on {found['table']};"
    return f"drop {kind} if exists {name};"


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def run_file(file: str) -> None:
    """Run `file`, which makes no object: a check that raises to stop the migration, or an update of rows."""
    run_sql(read_sql(file))


def refuse_other_schema() -> None:
    """Raise when pgbackfill is installed for tables in another schema than the one given."""
    run_file("guard/same_host_schema")


def refuse_removal() -> None:
    """Raise when others depend on what would be removed or are in its schema, or when rows would be lost."""
    run_file("guard/no_dependents")
    run_sql(
        _REFUSE_STRANGERS.format(functions=", ".join(sorted(functions())), relations=", ".join([*TABLES, *views()]))
    )
    refuse_to_lose_rows()


def refuse_to_lose_rows() -> None:
    """Raise unless the Airflow-shaped tables that pgbackfill itself made are empty, or their rows may go."""
    run_file("guard/forget_tables_made_anew")
    if not options().drop_data:
        run_file("guard/no_rows_at_stake")


def build_index(name: str) -> None:
    """Build the index `name` of `INDEXES` concurrently.

    Nobody is ever blocked. What a failed or killed build left is dropped first, concurrently too, and built again, so
    the revision can simply be run once more.
    """
    with context.get_context().autocommit_block():
        run_sql(_WAIT_FOR_OLDER_TRANSACTIONS)
        run_sql(f"drop index concurrently if exists public.{name};")
        run_sql(INDEXES[name].format(name) + ";")
        run_sql(_WAIT_AS_BEFORE)


def drop_index(name: str) -> None:
    """Drop the index `name` of Airflow's schema concurrently."""
    with context.get_context().autocommit_block():
        run_sql(_WAIT_FOR_OLDER_TRANSACTIONS)
        run_sql(f"drop index concurrently if exists public.{name};")
        run_sql(_WAIT_AS_BEFORE)
