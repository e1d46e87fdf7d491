"""Engine ``ray``: attempts run on a Ray cluster, in actors with their own event loop and servers."""

import asyncio
import os
import socket
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from pytest_mcpbench.attempt.remote.messages import RunnerSettings
from pytest_mcpbench.attempt.remote.serializer import Blob
from pytest_mcpbench.attempt.remote.worker_pool import WorkerLostError
from pytest_mcpbench.core.errors import EngineError, UsageError
from pytest_mcpbench.servers.leftovers import marked_children

CLIENT_PORT = "10001"
"""Default port of Ray's client server; any other port is taken for that of the cluster itself."""

CONNECT_SECONDS = 5.0

_CONTROL_CALLS = 8
"""Concurrent calls of an actor in addition to its attempts, so that blobs and close() never wait for an attempt."""


class AttemptRunnerActor:
    """Attempt runner as a Ray actor; Ray's worker process imports this class on the node."""

    def __init__(self) -> None:
        # The runner is imported on the node only: an import error must be reported by start(), not kill the actor.
        self._runner: Any = None

    async def start(self, settings: bytes) -> str:
        """Create the runner; return the reason if it cannot run attempts, otherwise an empty string."""
        from pytest_mcpbench.attempt.remote.runner import RemoteAttemptRunner

        try:
            self._runner = RemoteAttemptRunner(RunnerSettings.model_validate_json(settings))
        except UsageError as error:
            return str(error)
        return ""

    async def run_attempt(self, request: bytes) -> bytes:
        response: bytes = await self._runner.run_attempt(request)
        return response

    async def store_blob(self, content: bytes, is_archive: bool) -> None:
        self._runner.store_blob(content, is_archive=is_archive)

    async def close(self) -> None:
        if self._runner is not None:
            await asyncio.to_thread(self._runner.close)


class RayCluster:
    """Nodes of a Ray cluster that have a CPU, with at most one worker for each CPU."""

    def __init__(self, address: str | None, settings: RunnerSettings) -> None:
        if address is not None:
            _require_listener(address)
        # Before the import: Ray reads its authentication mode once, when it is imported.
        _configure_token(address)
        import ray

        self._ray: Any = ray
        self._settings = settings
        self._is_ours = not self._ray.is_initialized()
        if self._is_ours:
            _connect(self._ray, address)
        self._actor = self._ray.remote(AttemptRunnerActor)
        self._blobs: dict[int, Any] = {}
        self._names: dict[str, str] = {}
        """Names of all nodes that were ever seen, by their id."""

    def slots(self) -> "Counter[str]":
        alive = [node for node in self._ray.nodes() if node["Alive"]]
        for node in alive:
            self._names.setdefault(node["NodeID"], _node_name(node, alive))
        return Counter({self._names[node["NodeID"]]: int(node["Resources"].get("CPU", 0)) for node in alive})

    def start_worker(self, node: str) -> "RayWorker":
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        identity = next(identity for identity, name in self._names.items() if name == node)
        options = {
            # It reserves no CPU: an attempt mostly waits, and a busy cluster would keep the actor from being placed.
            "num_cpus": 0,
            # Restarts are the pool's and the executor's decision: they count them and choose another node.
            "max_restarts": 0,
            "max_task_retries": 0,
            "max_concurrency": self._settings.concurrency + _CONTROL_CALLS,
            "scheduling_strategy": NodeAffinitySchedulingStrategy(identity, soft=False),
        }
        return RayWorker(node, self._actor.options(**options).remote(), self, self._settings)

    def object_ref(self, blob: Blob) -> Any:
        """Return a reference to the blob in Ray's object store, which copies it to each node once."""
        # By identity, which is stable: the serializer keeps every blob for as long as the cluster is used.
        if id(blob) not in self._blobs:
            self._blobs[id(blob)] = self._ray.put(blob.content)
        return self._blobs[id(blob)]

    def kill(self, actor: Any) -> None:
        """End an actor at once."""
        self._ray.kill(actor, no_restart=True)

    def cancel(self, call: Any) -> None:
        """Cancel a call of an actor."""
        self._ray.cancel(call)

    def close(self) -> None:
        """Disconnect from Ray, unless the connection existed before this cluster was created."""
        if self._is_ours and self._ray.is_initialized():
            self._ray.shutdown()


class RayWorker:
    """One actor as a worker of the pool."""

    def __init__(self, node: str, actor: Any, cluster: RayCluster, settings: RunnerSettings) -> None:
        self.node = node
        self._actor = actor
        self._cluster = cluster
        self._settings = settings

    async def start(self) -> None:
        try:
            problem = await self._result(self._actor.start.remote(self._settings.model_dump_json().encode()))
        except ImportError as error:
            problem = f"it cannot import pytest-mcpbench ({error}); install {self._settings.version} on every node"
        if problem:
            raise EngineError(problem)

    async def run_attempt(self, request: bytes) -> bytes:
        call = self._actor.run_attempt.remote(request)
        try:
            response: bytes = await self._result(call)
        except asyncio.CancelledError:
            # Cancelling the await alone would leave the attempt running in the actor.
            self._cluster.cancel(call)
            raise
        return response

    async def send_blob(self, blob: Blob) -> None:
        await self._result(self._actor.store_blob.remote(self._cluster.object_ref(blob), blob.is_archive))

    async def close(self) -> None:
        await self._result(self._actor.close.remote())

    def kill(self) -> None:
        self._cluster.kill(self._actor)

    async def _result(self, call: Any) -> Any:
        """Return the result of a call; an exception raised by the actor's own code is raised unchanged."""
        from ray.exceptions import RayError, RayTaskError

        try:
            return await call
        except RayTaskError as error:
            raise (error.cause if isinstance(error.cause, Exception) else error) from None
        except RayError as error:
            _raise_import_error(error)
            raise WorkerLostError(f"{type(error).__name__} on node {self.node}") from error


def _raise_import_error(error: Exception) -> None:
    """Raise an import error if the text of a Ray error contains one."""
    # Ray reports an actor whose class cannot be imported like one that was killed; only the text tells them apart
    # (tried with Ray 2.60).
    for line in str(error).splitlines():
        if "ModuleNotFoundError" in line or "ImportError:" in line:
            raise ImportError(line.strip()) from error


def _configure_token(address: str | None) -> None:
    """Set Ray's authentication mode to ``token`` if there is a token and the cluster requires one."""
    # `ray start` requires the token that it writes to the home directory, but Ray sends it only in this mode; and a
    # cluster without authentication refuses calls that contain a token (tried with Ray 2.60).
    has_token = any(os.environ.get(name) for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"))
    if "RAY_AUTH_MODE" in os.environ or not (has_token or (Path.home() / ".ray" / "auth_token").is_file()):
        return
    if (address or "").endswith(f":{CLIENT_PORT}") or _requires_token(address or "auto"):
        os.environ["RAY_AUTH_MODE"] = "token"


def _requires_token(address: str) -> bool:
    """Return whether the cluster refuses a process that sends no token."""
    # In another process, because Ray's mode is fixed once it is imported. Ray reports the refusal at once but keeps
    # trying for half a minute, hence the kill as soon as its stderr shows it.
    probe = [sys.executable, "-c", f"import ray; ray.init(address={address!r}, log_to_driver=False)"]
    with subprocess.Popen(probe, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        is_refused = any("InvalidAuthToken" in line for line in process.stderr or ())
        process.kill()
    return is_refused


def _connect(ray: Any, address: str | None) -> None:
    """Connect to a cluster: at the address, else that of RAY_ADDRESS or of this machine, else a new one here."""
    label = address or "this machine"
    if address is not None and address.endswith(f":{CLIENT_PORT}"):
        address = f"ray://{address}"
    quiet = {"log_to_driver": False, "logging_level": "ERROR", "configure_logging": False}
    try:
        # Ray's agents outlive a killed run if it is killed at an unlucky moment; by the mark the next run ends them.
        with marked_children():
            ray.init(address=address, include_dashboard=None if address else False, **quiet)
    except (ConnectionError, RuntimeError, ValueError, ImportError, AssertionError, TimeoutError) as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise UsageError(f"--mcpbench-engine: no Ray cluster answers at {label}: {reason}") from error


def _require_listener(address: str) -> None:
    """Raise a usage error if nothing listens at the address."""
    # ray.init() would wait for minutes.
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise UsageError(f"--mcpbench-engine: write ray://HOST:PORT, not ray://{address}")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()
    except OSError as error:
        raise UsageError(f"--mcpbench-engine: no Ray cluster answers at {address}: {error.strerror or error}") from None


def _node_name(node: dict[str, Any], alive: list[dict[str, Any]]) -> str:
    """Return the address of a node's machine, with a part of the node's id if the machine has several nodes."""
    address = str(node["NodeManagerAddress"])
    if sum(other["NodeManagerAddress"] == address for other in alive) > 1:
        return f"{address}/{node['NodeID'][:6]}"
    return address
