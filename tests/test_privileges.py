"""A service needs EXECUTE on the functions it calls, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from support.dags import register, set_tasks


@pytest.fixture
def service(conn: Connection[Any], connect: Callable[..., Connection[Any]]) -> Iterator[Connection[Any]]:
    """A connection as a role without any right but to come into the schema; with traps in its search_path."""
    role = f"service_{conn.info.backend_pid}"
    conn.execute(f"create role {role}")
    conn.execute(f"grant usage on schema pgbackfill to {role}")
    connection = connect()
    connection.execute(f"set role {role}")
    yield connection
    connection.close()
    conn.execute(f"drop owned by {role}")
    conn.execute(f"drop role {role}")


def test_nothing_is_granted_to_public(conn: Connection[Any]) -> None:
    rows = conn.execute(
        """
        select 'function', p.oid::regprocedure::text
        from pg_proc p where p.pronamespace = 'pgbackfill'::regnamespace and has_function_privilege('public', p.oid, 'execute')
        union all
        select 'relation', c.oid::regclass::text
        from pg_class c where c.relnamespace = 'pgbackfill'::regnamespace and c.relkind in ('r', 'v')
          and has_table_privilege('public', c.oid, 'select, insert, update, delete, truncate, references, trigger')
        union all
        select 'schema', 'pgbackfill' where has_schema_privilege('public', 'pgbackfill', 'usage, create')
        """
    ).fetchall()
    assert rows == []


def test_without_execute_a_service_can_do_nothing(conn: Connection[Any], service: Connection[Any]) -> None:
    register(conn)
    for statement in (
        "select * from pgbackfill.create_backfill('daily', '2026-01-01', '2026-01-02')",
        "select * from pgbackfill.backfills",
        "select * from dag_run",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            service.execute(statement)


def test_with_execute_it_can_run_a_whole_backfill(conn: Connection[Any], service: Connection[Any]) -> None:
    register(conn)
    role = service.execute("select current_user").fetchone()
    assert role is not None
    conn.execute(
        f"""
        grant execute on function
          pgbackfill.create_backfill, pgbackfill.start_queued_dag_runs, pgbackfill.finish_dag_run, pgbackfill.mark_backfills_complete,
          pgbackfill.plan_backfill
        to {role[0]}
        """
    )
    assert (
        len(
            service.execute(
                "select * from pgbackfill.plan_backfill('daily', '2026-01-01 UTC', '2026-01-02 UTC')"
            ).fetchall()
        )
        == 2
    )
    service.execute("select * from pgbackfill.create_backfill('daily', '2026-01-01 UTC', '2026-01-02 UTC')")
    for (run,) in service.execute("select dag_run_id from pgbackfill.start_queued_dag_runs()").fetchall():
        service.execute("select * from pgbackfill.finish_dag_run(%s, 'success')", [run])
    assert service.execute("select status from pgbackfill.mark_backfills_complete()").fetchall() == [("completed",)]
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        service.execute("select * from dag_run")


def test_task_instances_name_who_is_connected(conn: Connection[Any], service: Connection[Any]) -> None:
    """And neither the owner of the function, as whom it runs, nor a role that was put on."""
    register(conn)
    set_tasks(conn, "daily", {"task_id": "a"})
    role = service.execute("select current_user").fetchone()
    assert role is not None
    conn.execute(f"grant execute on function pgbackfill.create_backfill to {role[0]}")
    service.execute(f"set session authorization {role[0]}")
    service.execute("select pgbackfill.create_backfill('daily', '2026-01-01', '2026-01-01')")
    assert conn.execute("select unixname from task_instance").fetchall() == [role]


def test_a_hostile_search_path_changes_nothing(conn: Connection[Any]) -> None:
    register(conn)
    conn.execute("create schema hostile")
    conn.execute("create table hostile.dag_run (id int)")
    conn.execute(
        "create function hostile.now() returns timestamptz language sql as $$ select timestamptz '1999-01-01' $$"
    )
    conn.execute(
        "create function hostile.coalesce_trap(text, text) returns text language sql as $$ select 'trapped' $$"
    )
    conn.execute("create operator hostile.|| (leftarg = text, rightarg = text, function = hostile.coalesce_trap)")
    conn.execute("create temp table dag_run (id int)")
    conn.execute("set search_path = pg_temp, hostile, pg_catalog, public")
    conn.execute("select from pgbackfill.create_backfill('daily', '2026-01-01 UTC', '2026-01-02 UTC')")
    assert conn.execute("select run_id from public.dag_run order by id").fetchall() == [
        ("backfill__2026-01-01T00:00:00+00:00",),
        ("backfill__2026-01-02T00:00:00+00:00",),
    ]
    assert conn.execute("select count(*) from dag_run").fetchone() == (0,)
