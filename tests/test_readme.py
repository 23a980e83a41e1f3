"""What the README says can be copied and works."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from psycopg.conninfo import make_conninfo
from support.snapshot import catalog_snapshot

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(section: str) -> list[tuple[str, str]]:
    """The code blocks of a section that name their language, in order."""
    text = README.split(f"\n## {section}\n", 1)[1].split("\n## ", 1)[0]
    found = re.findall(r"^```(\w+)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert found
    return found


def run(arguments: list[str], *, dsn: str, cwd: Path, text: str | None = None) -> str:
    environment = {
        **os.environ,
        "PGBACKFILL_DSN": dsn,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(arguments, input=text, text=True, capture_output=True, env=environment, cwd=cwd, check=False)
    assert done.returncode == 0, f"{text or arguments}\n{done.stdout}{done.stderr}"
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.fixture
def run_block(psql: Callable[..., str], tmp_path: Path) -> Callable[[str, str, str], str]:
    def run_block(language: str, code: str, dsn: str) -> str:
        if language == "sql":
            return psql(code, dsn=dsn)
        if language == "python":
            return run([sys.executable, "-"], dsn=dsn, cwd=tmp_path, text=code)
        assert language == "sh"
        return run(["bash", "-euo", "pipefail"], dsn=dsn, cwd=tmp_path, text=code)

    return run_block


def test_the_dbas_path(empty_dsn: str, run_block: Callable[[str, str, str], str], tmp_path: Path) -> None:
    with psycopg.connect(empty_dsn, autocommit=True) as conn:
        before = catalog_snapshot(conn)
        for language, code in blocks("For the DBA"):
            run_block(language, code, empty_dsn)
        assert catalog_snapshot(conn) == before
    assert "create_backfill" in (tmp_path / "pgbackfill.sql").read_text(encoding="utf-8")


def test_the_services_path(dsn: str, conn: Connection[Any], run_block: Callable[[str, str, str], str]) -> None:
    conn.execute("drop role if exists backfiller")
    outputs = []
    try:
        for language, code in blocks("For a service"):
            # What the role of the README can do, it does.
            is_services = language != "sql" or "_backfill(" in code
            run_as = make_conninfo(dsn, options="-c role=backfiller") if is_services else dsn
            outputs.append((language, run_block(language, code, run_as)))
    finally:
        conn.execute("drop owned by backfiller")
        conn.execute("drop role backfiller")
    python = next(output for language, output in outputs if language == "python")
    assert "active backfill: 1" in python
    assert "sales 2026-03-27" in python
    assert '"slots_created"' in "".join(output for _, output in outputs)


def test_every_link_leads_somewhere() -> None:
    for document in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name}: {target}"
