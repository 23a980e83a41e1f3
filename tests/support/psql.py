"""The real psql, as a DBA runs it."""

from __future__ import annotations

import subprocess

from pgbackfill.server import Installation


class PsqlError(Exception):
    """psql ended with an error; the text is what it said."""


def run_psql(text: str, *options: str, dsn: str) -> str:
    """Run `text` with ON_ERROR_STOP; returns what psql prints, unaligned and without headers."""
    installation = Installation.find()
    done = subprocess.run(
        [
            installation.bin / "psql",
            "--no-psqlrc",
            "--quiet",
            "--no-align",
            "--tuples-only",
            "--set=ON_ERROR_STOP=1",
            *options,
            f"--dbname={dsn}",
        ],
        input=text,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=installation.environment(),
        check=False,
    )
    if done.returncode != 0:
        raise PsqlError(done.stderr)
    return done.stdout
