"""Airflows for the tests of this folder, each with a database that its own `airflow db migrate` made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from psycopg import Connection, sql
from support.airflow import Airflow, AirflowDatabase, install
from support.databases import dsn_of

MakeDatabase = Callable[[str], AbstractContextManager[str]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.airflow)


@pytest.fixture(scope="session")
def airflow_332() -> Airflow:
    return install("3.3.2")


@pytest.fixture
def airflow(request: pytest.FixtureRequest) -> Airflow:
    """Airflow 3.3.2, or the releases of `@pytest.mark.parametrize("airflow", [...], indirect=True)`."""
    return install(getattr(request, "param", "3.3.2"))


@pytest.fixture(scope="session")
def make_database(admin: Connection[Any], database_names: Iterator[str]) -> MakeDatabase:
    """Makes a database from a template, gives its name, and drops it in the end."""

    @contextmanager
    def make(template: str) -> Iterator[str]:
        name = next(database_names)
        admin.execute(sql.SQL("create database {} template {}").format(sql.Identifier(name), sql.Identifier(template)))
        try:
            yield name
        finally:
            admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))

    return make


@pytest.fixture(scope="session")
def airflow_template(
    admin: Connection[Any], make_database: MakeDatabase, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[Airflow], str]]:
    """Gives the name of a database that a release migrated and serialized the DAGs into, made when first asked for."""
    with ExitStack() as made:

        @cache
        def template(airflow: Airflow) -> str:
            name = made.enter_context(make_database("template0"))
            database = AirflowDatabase(airflow, dsn_of(admin, name), tmp_path_factory.mktemp("airflow_home"))
            database.command("db", "migrate")
            database.command("dags", "reserialize")
            with database.connect() as conn:
                assert conn.execute("select filename, stacktrace from import_error").fetchall() == []
            return name

        yield template


@pytest.fixture
def clone_airflow(
    airflow: Airflow,
    airflow_template: Callable[[Airflow], str],
    admin: Connection[Any],
    make_database: MakeDatabase,
    tmp_path: Path,
) -> Callable[[], AbstractContextManager[AirflowDatabase]]:
    """Makes further copies of the template for one test."""

    @contextmanager
    def clone() -> Iterator[AirflowDatabase]:
        with make_database(airflow_template(airflow)) as name:
            yield AirflowDatabase(airflow, dsn_of(admin, name), tmp_path / name)

    return clone


@pytest.fixture
def airflow_db(clone_airflow: Callable[[], AbstractContextManager[AirflowDatabase]]) -> Iterator[AirflowDatabase]:
    """A database of an Airflow of the test's own, without pgbackfill."""
    with clone_airflow() as database:
        yield database
