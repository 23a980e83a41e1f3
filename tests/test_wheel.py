"""What a user installs: a wheel, built from the source distribution, that brings its SQL and its revisions."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pgbackfill import migrate
from psycopg import Connection
from support.archives import unpack
from support.snapshot import catalog_snapshot

ROOT = Path(__file__).resolve().parent.parent


def run(*command: str | Path, cwd: Path, **env: str) -> str:
    done = subprocess.run(command, cwd=cwd, env={**os.environ, **env}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("dist")
    hatchling: list[str | Path] = [sys.executable, "-m", "hatchling", "build", "--directory", made]
    run(*hatchling, "--target", "sdist", cwd=ROOT)
    (sdist,) = made.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        unpack(archive, made)
    run(*hatchling, "--target", "wheel", cwd=made / sdist.name.removesuffix(".tar.gz"))
    (wheel,) = made.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a fresh environment that has the wheel, and sees the dependencies of this one."""
    home = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", "--without-pip", "fresh", cwd=home)
    scripts = home / "fresh" / "bin"
    run(
        Path(sys.executable).with_name("uv"),
        "pip",
        "install",
        "--offline",
        "--no-deps",
        "--python",
        scripts / "python",
        wheel,
        cwd=home,
    )
    site = Path(
        run(scripts / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=home).strip()
    )
    # A folder named in a .pth file is searched, but its own .pth files are not read: the editable checkout stays out.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return scripts


def test_it_brings_every_sql_file_and_revision(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("sql", "migrations"):
        sources = {p for p in (ROOT / folder).rglob("*") if p.is_file() and "__pycache__" not in p.parts}
        assert sources
        assert {f"pgbackfill/{p.relative_to(ROOT)}" for p in sources} == {n for n in names if f"/{folder}/" in n}


def test_it_is_typed_and_licensed(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "pgbackfill/py.typed" in names
    assert any(n.endswith(".dist-info/licenses/LICENSE") for n in names)


def test_it_brings_nothing_else(wheel: Path) -> None:
    assert {n.split("/")[0].partition("-")[0] for n in zipfile.ZipFile(wheel).namelist()} == {"pgbackfill"}


def test_the_installed_package_is_not_the_checkout(installed: Path, tmp_path: Path) -> None:
    where = run(installed / "python", "-c", "import pgbackfill; print(pgbackfill.__file__)", cwd=tmp_path).strip()
    assert Path(where).is_relative_to(installed.parent)


def test_it_migrates_a_database_as_the_checkout_does(
    installed: Path, tmp_path: Path, conn: Connection[Any], empty_dsn: str
) -> None:
    run(installed / "pgbackfill", "migrate", cwd=tmp_path, PGBACKFILL_DSN=empty_dsn)
    assert migrate.current(empty_dsn) == migrate.heads()
    with psycopg.connect(empty_dsn) as migrated:
        assert catalog_snapshot(migrated) == catalog_snapshot(conn)


def test_it_prints_the_same_sql_as_alembic_in_the_checkout(installed: Path, tmp_path: Path) -> None:
    ours = run(installed / "pgbackfill", "migrate", "--sql", cwd=tmp_path)
    assert ours == run(sys.executable, "-m", "alembic", "-c", "alembic.ini", "upgrade", "head", "--sql", cwd=ROOT)
