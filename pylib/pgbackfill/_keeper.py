"""The process that keeps one embedded PostgreSQL, started by `pgbackfill.server` as a script of its own.

It makes the data directory, runs the server, and takes both away again as soon as the process that asked for them says
so or is gone, however it went: even when it is killed, its end of the pipe closes and we get another parent.
Standard library only and no import of the package, so that it starts fast and nothing can be missing.
"""

from __future__ import annotations

import json
import locale
import os
import select
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

READY = "ready"

# Nothing outside the run directory may be left behind: no shared memory under /dev/shm, no TCP port.
_SETTINGS = {"listen_addresses": "", "dynamic_shared_memory_type": "mmap"}
_START_SECONDS = 60
_STOP_SECONDS = 20
_LOOK_SECONDS = 0.5


class KeeperError(Exception):
    """The server could not be started; the message is one line."""


@dataclass(frozen=True)
class Order:
    """What to run, where, as whom and for whom; travels as JSON in the first argument."""

    run_dir: str
    binaries: tuple[str, ...]
    """The folders that make up the installation; `bin` is in the first."""
    library_path: str | None
    uid: int
    gid: int
    settings: Mapping[str, str]
    parent: int

    def to_json(self) -> str:
        return json.dumps(asdict(self))


def data_dir(run_dir: Path) -> Path:
    return run_dir / "data"


def socket_dir(run_dir: Path) -> Path:
    return run_dir / "s"  # short: a socket's whole path has room for about 100 bytes


def log_file(run_dir: Path) -> Path:
    return run_dir / "server.log"


def environment(library_path: str | None) -> dict[str, str]:
    """Our environment without what libpq and the server would read from it."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    if library_path:
        env["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [library_path, env.get("LD_LIBRARY_PATH")]))
    return env


def discard(run_dir: Path) -> None:
    """Stop whatever still runs on `run_dir`, and remove it."""
    deadline = time.monotonic() + _STOP_SECONDS
    while pids := list(_servers(data_dir(run_dir))):
        for pid in pids:
            try:
                os.kill(pid, signal.SIGQUIT if time.monotonic() < deadline else signal.SIGKILL)
            except ProcessLookupError:
                continue
        time.sleep(0.05)
    shutil.rmtree(run_dir)


def _servers(data: Path) -> Iterator[int]:
    """The postmaster and the initdb of this data directory, by their command lines: a pid file may lie or come late."""
    for pid, argv in _command_lines():
        if argv and Path(argv[0]).name in ("postgres", "initdb") and str(data) in argv:
            yield pid


def _command_lines() -> Iterator[tuple[int, list[str]]]:
    proc = Path("/proc")
    if not (proc / "self" / "cmdline").exists():  # no Linux
        listing = subprocess.run(["ps", "-axo", "pid=,command="], stdout=subprocess.PIPE, text=True, check=True).stdout
        for line in listing.splitlines():
            pid, *argv = line.split()
            yield int(pid), argv
        return
    for entry in proc.iterdir():
        if not entry.name.isdigit():
            continue
        try:
            command_line = (entry / "cmdline").read_bytes()
        except OSError:
            continue  # it ended meanwhile
        yield int(entry.name), os.fsdecode(command_line).split("\0")


class _Keeper:
    def __init__(self, order: Order) -> None:
        self.order = order
        self.run_dir = Path(order.run_dir)
        self.env = environment(order.library_path)
        self.told_to_stop = False

    def run(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._stop)
        try:
            bin_dir = self._reachable_bin()
            self._init(bin_dir)
            server = self._start(bin_dir)
            self._wait_until_ready(server)
            print(READY, flush=True)
            while server.poll() is None and not self._must_end(_LOOK_SECONDS):
                pass
        finally:
            discard(self.run_dir)

    def _stop(self, *_: object) -> None:
        self.told_to_stop = True

    def _must_end(self, seconds: float) -> bool:
        """Whether the parent has let go; waits up to `seconds` for that.

        The parent is looked at too, since a child that it forked may hold the pipe open for longer than it lives.
        """
        closed, _, _ = select.select([sys.stdin], [], [], seconds)
        return bool(closed) or self.told_to_stop or os.getppid() != self.order.parent

    def _reachable_bin(self) -> Path:
        """The folder of programs, in a copy where the server's user cannot reach the original (a venv under /root)."""
        first = Path(self.order.binaries[0])
        if self.order.uid == os.geteuid() or _everyone_can_reach(first / "bin" / "postgres"):
            return first / "bin"
        # The relative places stay as they are: the programs look for their libraries from where they lie.
        top = Path(os.path.commonpath([Path(b).parent for b in self.order.binaries]))
        for original in map(Path, self.order.binaries):
            copy = self.run_dir / "install" / original.relative_to(top)
            shutil.copytree(original, copy, ignore=shutil.ignore_patterns("include"))
        _open_to_everyone(self.run_dir / "install")
        return self.run_dir / "install" / first.relative_to(top) / "bin"

    def _init(self, bin_dir: Path) -> None:
        for folder in (data_dir(self.run_dir), socket_dir(self.run_dir)):
            folder.mkdir(mode=0o700)
            os.chown(folder, self.order.uid, self.order.gid)
        # Whoever reaches the socket is in: only the server's user (and root) can enter its folder.
        arguments = ["--username=postgres", "--auth-local=trust", "--auth-host=reject", "--encoding=UTF8", "--no-sync"]
        done = self._run_as_owner(
            [bin_dir / "initdb", "-D", data_dir(self.run_dir), f"--locale={_locale()}", *arguments]
        )
        if done.wait() != 0:
            raise KeeperError(f"initdb failed: {self._last_log_line()}")

    def _start(self, bin_dir: Path) -> subprocess.Popen[bytes]:
        settings = {**self.order.settings, **_SETTINGS, "unix_socket_directories": str(socket_dir(self.run_dir))}
        options = [f"--{name}={value}" for name, value in settings.items()]
        return self._run_as_owner([bin_dir / "postgres", "-D", data_dir(self.run_dir), *options])

    def _run_as_owner(self, command: list[Path | str]) -> subprocess.Popen[bytes]:
        order = self.order
        other = order.uid != os.geteuid()
        with log_file(self.run_dir).open("ab") as log:
            return subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=data_dir(self.run_dir),
                env=self.env,
                user=order.uid if other else None,
                group=order.gid if other else None,
                extra_groups=[] if other else None,
            )

    def _wait_until_ready(self, server: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + _START_SECONDS
        pid_file = data_dir(self.run_dir) / "postmaster.pid"
        while time.monotonic() < deadline:
            if server.poll() is not None:
                raise KeeperError(f"PostgreSQL did not start: {self._last_log_line()}")
            lines = pid_file.read_text(encoding="utf-8").splitlines() if pid_file.exists() else []
            if len(lines) > 7 and lines[7].strip() == "ready":  # what `pg_ctl --wait` looks at
                return
            if self._must_end(0.02):
                raise KeeperError("the start was given up")
        raise KeeperError(f"PostgreSQL did not start within {_START_SECONDS} s: {self._last_log_line()}")

    def _last_log_line(self) -> str:
        lines = log_file(self.run_dir).read_text(encoding="utf-8", errors="replace").split("\n")
        said = [line.strip() for line in lines if line.strip()]
        errors = [line for line in said if "FATAL:" in line or "error:" in line]
        return (errors or said or ["no message"])[-1]


def _everyone_can_reach(path: Path) -> bool:
    return bool(path.stat().st_mode & stat.S_IXOTH) and all(p.stat().st_mode & stat.S_IXOTH for p in path.parents)


def _open_to_everyone(folder: Path) -> None:
    """Let others read what the owner reads, and run what the owner runs."""
    for path in (folder, *folder.rglob("*")):
        mode = path.lstat().st_mode
        if not stat.S_ISLNK(mode):
            path.chmod(mode | (mode & 0o500) >> 3 | (mode & 0o500) >> 6)


def _locale() -> str:
    try:
        locale.setlocale(locale.LC_ALL, "C.UTF-8")
    except locale.Error:  # not every system has it
        return "C"
    return "C.UTF-8"


def main() -> None:
    os.umask(0o077)
    order = json.loads(sys.argv[1])
    try:
        _Keeper(Order(**order)).run()
    except Exception as exc:
        print(" ".join(str(exc).split()) or type(exc).__name__, flush=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
