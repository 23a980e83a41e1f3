"""Real, unmodified Airflows: one virtual environment per release, always run as a separate process."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import psycopg
from psycopg import Connection
from psycopg.conninfo import conninfo_to_dict

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "tests" / "airflow" / "scripts"
DAGS = ROOT / "tests" / "airflow" / "dags"
DIRECTORY_VARIABLE = "PGBACKFILL_AIRFLOW_DIR"

# Each is installed as of its time: its servers break on libraries that are newer than it knows.
RELEASES = {"3.0.6": "2025-09-15", "3.1.8": "2026-04-01", "3.2.2": "2026-06-20", "3.3.2": "2026-10-01"}
DRIVERS = ("psycopg2-binary", "asyncpg")


@dataclass(frozen=True)
class Airflow:
    """A release of Airflow that is installed in `root`."""

    version: str
    root: Path

    @property
    def python(self) -> Path:
        return self.root / "bin" / "python"

    @property
    def env(self) -> dict[str, str]:
        """An environment without a database, in which Airflow's code can be imported."""
        return self.environment("dbname=none", self.root / "home")

    def environment(self, dsn: str, home: Path, **config: str) -> dict[str, str]:
        """The environment for a process on this database; `config` is `section__key="value"`."""
        settings = {
            "core__load_examples": "False",
            "core__dags_folder": str(DAGS),
            "core__unit_test_mode": "False",
            "database__sql_alchemy_conn": sqlalchemy_url(dsn),
            "logging__logging_level": "WARNING",
            **config,
        }
        inherited = {
            k: v for k, v in os.environ.items() if not k.startswith(("AIRFLOW", "PG", "PYTHON", "VIRTUAL_ENV"))
        }
        return {
            **inherited,
            "PATH": f"{self.root / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "AIRFLOW_HOME": str(home),
            "PYTHONWARNINGS": "ignore",
            **{f"AIRFLOW__{key.upper()}": value for key, value in settings.items()},
        }


@dataclass(frozen=True)
class AirflowDatabase:
    """A database of an Airflow; `home` is its AIRFLOW_HOME, `config` what every process on it is told besides."""

    airflow: Airflow
    dsn: str
    home: Path
    config: Mapping[str, str] = field(default_factory=dict)

    def environment(self, **config: str) -> dict[str, str]:
        return self.airflow.environment(self.dsn, self.home, **{**self.config, **config})

    def command(self, *arguments: str) -> str:
        """Run `airflow ARGUMENTS` to its end and return what it printed."""
        return _run([str(self.airflow.root / "bin" / "airflow"), *arguments], None, self.environment())

    def script(self, name: str, request: Any, **config: str) -> Any:
        """Run a script of `scripts/` with Airflow's Python: `request` as JSON in, the last line it prints as JSON out."""
        arguments = [str(self.airflow.python), str(SCRIPTS / name)]
        return json.loads(_run(arguments, json.dumps(request), self.environment(**config)).splitlines()[-1])

    def connect(self) -> Connection[Any]:
        return psycopg.connect(self.dsn, autocommit=True)


def sqlalchemy_url(dsn: str) -> str:
    """A libpq DSN as SQLAlchemy writes it for psycopg2; a Unix socket's folder goes into the query."""
    parts = {k: str(v) for k, v in conninfo_to_dict(dsn).items()}
    user, password, database = parts.pop("user", ""), parts.pop("password", ""), parts.pop("dbname", "")
    who = quote(user, safe="") + (f":{quote(password, safe='')}" if password else "")
    return f"postgresql+psycopg2://{who}@/{quote(database, safe='')}?{urlencode(parts)}"


def install(version: str) -> Airflow:
    """The release in its own environment, built unless it is there: seconds with a warm package cache."""
    directory = Path(os.environ.get(DIRECTORY_VARIABLE, ROOT / ".airflow"))
    directory.mkdir(parents=True, exist_ok=True)
    root, ready = directory / version, directory / version / ".ready"
    wanted = ["--exclude-newer", RELEASES[version], f"apache-airflow=={version}", *DRIVERS]
    recipe = f"{platform.python_version()} {' '.join(wanted)}"
    with (directory / f"{version}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ready.exists() or ready.read_text() != recipe:
            shutil.rmtree(root, ignore_errors=True)
            uv, airflow = [sys.executable, "-m", "uv"], Airflow(version, root)
            subprocess.run([*uv, "venv", "--quiet", "--python", sys.executable, str(root)], check=True)
            subprocess.run([*uv, "pip", "install", "--quiet", "--python", str(airflow.python), *wanted], check=True)
            ready.write_text(recipe)  # written last, so that a half-built environment is built again
    return Airflow(version, root)


def _run(arguments: list[str], text: str | None, environment: Mapping[str, str]) -> str:
    done = subprocess.run(
        arguments, input=text, text=True, capture_output=True, env=environment, check=False, timeout=900
    )
    if done.returncode != 0:
        raise RuntimeError(f"{arguments} ended with {done.returncode}\n{done.stdout[-4000:]}\n{done.stderr[-8000:]}")
    return done.stdout
