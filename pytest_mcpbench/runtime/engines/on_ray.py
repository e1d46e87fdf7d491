"""Attempts on a Ray cluster: each process is an actor with a loop and servers of its own."""

import asyncio
import os
import socket
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.errors import EngineError, UsageError
from pytest_mcpbench.runtime.remote.messages import RunnerSettings
from pytest_mcpbench.runtime.remote.serializer import Blob
from pytest_mcpbench.runtime.remote.worker_pool import WorkerLostError

CLIENT_PORT = "10001"
"""Where Ray's client server listens unless told otherwise; any other port is that of the cluster itself."""

CONNECT_SECONDS = 5.0

_CONTROL_CALLS = 8
"""Places of an actor for calls that are no attempts."""


class AttemptRunnerActor:
    """An attempt runner as a Ray actor; imported by Ray's worker process on the node."""

    def __init__(self) -> None:
        self._maker: Any = None

    async def begin(self, setup: bytes) -> str:
        """Why it can make no attempts; empty where it can."""
        from pytest_mcpbench.runtime.remote.runner import AttemptRunner

        try:
            self._maker = AttemptRunner(RunnerSettings.model_validate_json(setup))
        except UsageError as error:
            return str(error)
        return ""

    async def make(self, request: bytes) -> bytes:
        answer: bytes = await self._maker.make(request)
        return answer

    async def give(self, content: bytes, is_archive: bool) -> None:
        self._maker.give(content, is_archive=is_archive)

    async def close(self) -> None:
        if self._maker is not None:
            await asyncio.to_thread(self._maker.close)


class RayCluster:
    """The nodes of a Ray cluster that have a CPU; a process for each CPU at most."""

    def __init__(self, address: str | None, setup: RunnerSettings) -> None:
        if address is not None:
            _require_listener(address)
        _use_token(address)
        import ray

        self._ray: Any = ray
        self._setup = setup
        self._is_ours = not self._ray.is_initialized()
        if self._is_ours:
            _connect(self._ray, address)
        self._actor = self._ray.remote(AttemptRunnerActor)
        self._parcels: dict[int, Any] = {}
        self._names: dict[str, str] = {}
        """Id of a node -> its name; also of those that are gone."""

    def seats(self) -> "Counter[str]":
        alive = [node for node in self._ray.nodes() if node["Alive"]]
        for node in alive:
            self._names.setdefault(node["NodeID"], _name(node, alive))
        return Counter({self._names[node["NodeID"]]: int(node["Resources"].get("CPU", 0)) for node in alive})

    def open(self, node: str) -> "RayWorker":
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        identity = next(identity for identity, name in self._names.items() if name == node)
        # It reserves no CPU: an attempt mostly waits, and a busy cluster would keep the actor from being placed.
        options = {
            "num_cpus": 0,
            "max_restarts": 0,
            "max_task_retries": 0,
            "max_concurrency": self._setup.concurrency + _CONTROL_CALLS,
            "scheduling_strategy": NodeAffinitySchedulingStrategy(identity, soft=False),
        }
        return RayWorker(node, self._actor.options(**options).remote(), self, self._setup)

    def stored(self, parcel: Blob) -> Any:
        """The parcel in Ray's store, which brings it to each node once."""
        if id(parcel) not in self._parcels:
            self._parcels[id(parcel)] = self._ray.put(parcel.content)
        return self._parcels[id(parcel)]

    def kill(self, actor: Any) -> None:
        self._ray.kill(actor, no_restart=True)

    def cancel(self, call: Any) -> None:
        self._ray.cancel(call)

    def close(self) -> None:
        if self._is_ours and self._ray.is_initialized():
            self._ray.shutdown()


class RayWorker:
    """One actor."""

    def __init__(self, node: str, actor: Any, cluster: RayCluster, setup: RunnerSettings) -> None:
        self.node = node
        self._actor = actor
        self._cluster = cluster
        self._setup = setup

    async def begin(self) -> None:
        try:
            problem = await self._answered(self._actor.begin.remote(self._setup.model_dump_json().encode()))
        except ImportError as error:
            problem = f"there pytest-mcpbench cannot be imported ({error}); install {self._setup.version} on every node"
        if problem:
            raise EngineError(problem)

    async def make(self, request: bytes) -> bytes:
        call = self._actor.make.remote(request)
        try:
            answer: bytes = await self._answered(call)
        except asyncio.CancelledError:
            self._cluster.cancel(call)
            raise
        return answer

    async def give(self, parcel: Blob) -> None:
        await self._answered(self._actor.give.remote(self._cluster.stored(parcel), parcel.is_archive))

    async def close(self) -> None:
        await self._answered(self._actor.close.remote())

    def kill(self) -> None:
        self._cluster.kill(self._actor)

    async def _answered(self, call: Any) -> Any:
        """What the actor answers; an exception of its own code is raised as it is."""
        from ray.exceptions import RayError, RayTaskError

        try:
            return await call
        except RayTaskError as error:
            raise (error.cause if isinstance(error.cause, Exception) else error) from None
        except RayError as error:
            _raise_import_error(error)
            raise WorkerLostError(f"{type(error).__name__} on node {self.node}") from error


def _raise_import_error(error: Exception) -> None:
    """An actor whose module is not there ends as one that was killed does, but for its text."""
    for line in str(error).splitlines():
        if "ModuleNotFoundError" in line or "ImportError:" in line:
            raise ImportError(line.strip()) from error


def _use_token(address: str | None) -> None:
    """``ray start`` asks for the token that it writes into the home directory; Ray sends one only where told to, and
    refuses calls where one is sent that nobody asked for. It reads what it is told once, when it is imported.
    """
    has_token = any(os.environ.get(name) for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"))
    if "RAY_AUTH_MODE" in os.environ or not (has_token or (Path.home() / ".ray" / "auth_token").is_file()):
        return
    if (address or "").endswith(f":{CLIENT_PORT}") or _asks_for_token(address or "auto"):
        os.environ["RAY_AUTH_MODE"] = "token"


def _asks_for_token(address: str) -> bool:
    """Whether the cluster refuses a process without one, which says so at once and tries on for half a minute."""
    probe = [sys.executable, "-c", f"import ray; ray.init(address={address!r}, log_to_driver=False)"]
    with subprocess.Popen(probe, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        is_refused = any("InvalidAuthToken" in line for line in process.stderr or ())
        process.kill()
    return is_refused


def _connect(ray: Any, address: str | None) -> None:
    """To the cluster at an address; without one, to that of RAY_ADDRESS or of this machine, or to a new one here."""
    shown = address or "this machine"
    if address is not None and address.endswith(f":{CLIENT_PORT}"):
        address = f"ray://{address}"
    quiet = {"log_to_driver": False, "logging_level": "ERROR", "configure_logging": False}
    try:
        ray.init(address=address, include_dashboard=None if address else False, **quiet)
    except (ConnectionError, RuntimeError, ValueError, ImportError, AssertionError, TimeoutError) as error:
        said = next(iter(str(error).splitlines()), type(error).__name__)
        raise UsageError(f"--mcpbench-engine: no Ray cluster answers at {shown}: {said}") from error


def _require_listener(address: str) -> None:
    """Ray itself waits for minutes at an address where nobody listens."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise UsageError(f"--mcpbench-engine: write ray://HOST:PORT, not ray://{address}")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()
    except OSError as error:
        raise UsageError(f"--mcpbench-engine: no Ray cluster answers at {address}: {error.strerror or error}") from None


def _name(node: dict[str, Any], alive: list[dict[str, Any]]) -> str:
    """The address of a machine; with a part of the id where several nodes are on it."""
    address = str(node["NodeManagerAddress"])
    if sum(other["NodeManagerAddress"] == address for other in alive) > 1:
        return f"{address}/{node['NodeID'][:6]}"
    return address
