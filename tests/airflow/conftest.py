"""Airflows for the tests of this folder, each with a database that its own `airflow db migrate` made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import Connection, sql
from support.airflow import Airflow, AirflowDatabase, install
from support.databases import dsn_of


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.airflow)


@pytest.fixture(scope="session")
def airflow_332() -> Airflow:
    return install("3.3.2")


@pytest.fixture(scope="session")
def airflow_template(
    airflow_332: Airflow,
    admin: Connection[Any],
    database_names: Iterator[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    """The name of a database that Airflow 3.3.2 migrated and serialized the DAGs into."""
    name = next(database_names)
    admin.execute(sql.SQL("create database {} template template0").format(sql.Identifier(name)))
    try:
        dsn, home = dsn_of(admin, name), tmp_path_factory.mktemp("airflow_home")
        airflow_332.command("db", "migrate", dsn=dsn, home=home)
        airflow_332.command("dags", "reserialize", dsn=dsn, home=home)
        with psycopg.connect(dsn) as conn:
            assert conn.execute("select filename, stacktrace from import_error").fetchall() == []
        yield name
    finally:
        admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@pytest.fixture
def clone_airflow(
    airflow_332: Airflow, airflow_template: str, admin: Connection[Any], database_names: Iterator[str], tmp_path: Path
) -> Callable[[], AbstractContextManager[AirflowDatabase]]:
    """Makes further copies of the template for one test."""

    @contextmanager
    def clone() -> Iterator[AirflowDatabase]:
        name = next(database_names)
        admin.execute(
            sql.SQL("create database {} template {}").format(sql.Identifier(name), sql.Identifier(airflow_template))
        )
        try:
            yield AirflowDatabase(airflow_332, dsn_of(admin, name), tmp_path / name)
        finally:
            admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))

    return clone


@pytest.fixture
def airflow_db(clone_airflow: Callable[[], AbstractContextManager[AirflowDatabase]]) -> Iterator[AirflowDatabase]:
    """A database of Airflow 3.3.2 of the test's own, without pgbackfill."""
    with clone_airflow() as database:
        yield database
