"""A whole Airflow at work: api-server, scheduler and dag-processor with the LocalExecutor, as separate processes."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.airflow import AirflowDatabase

COMPONENTS = ("api-server", "scheduler", "dag-processor")
_PATIENCE_SECONDS = 120


@dataclass(frozen=True)
class RunningAirflow:
    """Where the processes of a running Airflow can be found."""

    port: int
    logs: Path
    processes: dict[str, subprocess.Popen[bytes]]

    def log(self, component: str) -> str:
        return (self.logs / f"{component}.log").read_text(encoding="utf-8", errors="replace")

    def assert_alive(self) -> None:
        for component, process in self.processes.items():
            assert process.poll() is None, (
                f"{component} ended with {process.returncode}:\n{self.log(component)[-4000:]}"
            )

    def diagnosis(self) -> str:
        """The end of every component's log."""
        return "\n".join(f"--- {component}\n{self.log(component)[-3000:]}" for component in self.processes)


@contextmanager
def running_airflow(database: AirflowDatabase, components: Sequence[str] = COMPONENTS) -> Iterator[RunningAirflow]:
    """Start the components on `database`, the api-server first, until it answers; end every process afterwards."""
    port = _free_port()
    config = {
        "core__executor": "LocalExecutor",
        "core__parallelism": "4",
        "core__execution_api_server_url": f"http://127.0.0.1:{port}/execution/",
        "core__simple_auth_manager_all_admins": "True",
        "api_auth__jwt_secret": secrets.token_hex(32),
        "api__secret_key": secrets.token_hex(16),
        "scheduler__scheduler_heartbeat_sec": "1",
        "scheduler__job_heartbeat_sec": "1",
        "logging__worker_log_server_port": str(_free_port()),  # one for each, as others may run here
        "logging__logging_level": "INFO",
    }
    environment = database.environment(**config)
    database.home.mkdir(parents=True, exist_ok=True)
    running = RunningAirflow(port, database.home, {})
    try:
        for component in components:
            options = (
                ["--host", "127.0.0.1", "--port", str(port), "--workers", "1"] if component == "api-server" else []
            )
            with (database.home / f"{component}.log").open("wb") as log:
                running.processes[component] = subprocess.Popen(
                    [str(database.airflow.root / "bin" / "airflow"), component, *options],
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,  # a group of its own, which ends with all that it started
                )
            if component == "api-server":  # before the scheduler: a task that cannot reach it fails
                _wait_for_api(running)
        yield running
    finally:
        for process in running.processes.values():
            end_group(process)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for_api(running: RunningAirflow) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        running.assert_alive()
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{running.port}/api/v2/version", timeout=5):
                return
        except (urllib.error.URLError, OSError) as error:
            if time.monotonic() > deadline:
                raise AssertionError(f"the API does not answer: {error}\n{running.diagnosis()}") from error
            time.sleep(0.5)


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End a process that was started in a session of its own, and all that it started."""
    for number, patience in ((signal.SIGTERM, 20), (signal.SIGKILL, 10)):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            break
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            continue
    process.wait()
