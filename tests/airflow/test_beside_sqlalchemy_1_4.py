"""pgbackfill in the environment that Airflow 3.0 brings: SQLAlchemy 1.4 and psycopg2."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.airflow import ROOT, SCRIPTS


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with the wheel of this checkout and SQLAlchemy 1.4."""
    root = tmp_path_factory.mktemp("sqlalchemy_1_4")
    uv = str(Path(sys.executable).with_name("uv"))
    found = root / "bin" / "python"
    wanted = [f"{ROOT}[binary]", "sqlalchemy<2", "psycopg2-binary"]
    run(uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(root))
    run(uv, "pip", "install", "--quiet", "--python", str(found), *wanted)
    return found


def run(*command: str, stdin: str | None = None) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV", "PGBACKFILL_DSN"))}
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_dsn_that_psycopg2_cannot_read_is_not_printed(python: Path) -> None:
    command = [str(python), "-m", "pgbackfill", "--dsn", "postgresql//jo:s3cr3t@host/db", "migrate"]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert refused.stderr.startswith("pgbackfill: error: the connection string cannot be read\n")


def test_the_command_and_the_wrappers(python: Path, empty_dsn: str) -> None:
    def pgbackfill(*arguments: str) -> Any:
        return json.loads(run(str(python), "-m", "pgbackfill", "--dsn", empty_dsn, "--json", *arguments))

    assert pgbackfill("migrate")["revision_before"] is None
    assert pgbackfill("status")["up_to_date"] is True
    told = json.loads(run(str(python), str(SCRIPTS / "wrappers_on_sqlalchemy_1_4.py"), stdin=json.dumps(empty_dsn)))
    assert told.pop("sqlalchemy").startswith("1.4.")
    for future in (False, True):
        assert told[f"connection, future={future}"] == ["2026-01-01T00:00:00+00:00", {"x": [":a", "%"]}]
        assert told[f"after rollback, future={future}"] == 0
        assert told[f"refusal, future={future}"] == ['DAG "daily" not found', "InternalError"]
    assert pgbackfill("uninstall", "--yes", "--drop-data")["revision"] is None
