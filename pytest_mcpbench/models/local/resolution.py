"""Resolution of a local name: the weights or the server that it stands for, checked before the first task."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.model_names import LOCAL, LOCAL_PREFIX
from pytest_mcpbench.models.local.engine_process import (
    CONTEXT,
    ENGINE,
    EngineProcess,
    EngineSetup,
    ReservedPort,
    require_engine,
    require_memory,
    require_system,
    usable_processors,
)
from pytest_mcpbench.models.local.running_servers import SERVER_KINDS, RunningServer, find_server, require_server
from pytest_mcpbench.models.local.weights import QWEN, Weights, check_weights, digest_name

# Names of local models: ``local``, ``local:PATH.gguf``, and ``local:SERVER`` or ``local:SERVER/MODEL``.

_GGUF = ".gguf"


@dataclass(frozen=True)
class LocalName:
    """Parts of a name; without any, the package chooses."""

    weights: bool = False
    """True for the weights that ``mcpbench fetch local`` gets."""
    path: Path | None = None
    server: str | None = None
    """Key of :data:`SERVER_KINDS`."""
    model: str | None = None
    """Name of a model of the server."""


def parse_name(name: str) -> LocalName:
    """Return the parts of a name.

    Raises:
        UsageError: the name is none of the forms.
    """
    rest = name.removeprefix(LOCAL_PREFIX)
    if name == LOCAL:
        return LocalName()
    if rest == QWEN.name:
        return LocalName(weights=True)
    if rest.lower().endswith(_GGUF):
        return LocalName(path=Path(rest).expanduser())
    server, _, model = rest.partition("/")
    if server in SERVER_KINDS:
        return LocalName(server=server, model=model or None)
    servers = ", ".join(f"local:{kind}" for kind in SERVER_KINDS)
    raise UsageError(
        f"no local model is called {name!r}; there are: {LOCAL}, {LOCAL_PREFIX}{QWEN.name}, {LOCAL_PREFIX}PATH.gguf, "
        f"and {servers}, each with /MODEL if it has several"
    )


_FREE = {"input_price": 0, "output_price": 0}


@dataclass(frozen=True)
class LocalModel:
    """A local model: its settings, facts and description, and the setup of its engine if it needs one."""

    name: str
    table: Mapping[str, Any]
    """Its table in ``[tool.mcpbench.models]``."""
    facts: Mapping[str, Any]
    """Its facts for ``run.json``."""
    description: str
    setup: EngineSetup | None = None
    """Setup of its engine; ``None`` if a server is used that runs already."""
    port: ReservedPort | None = field(default=None, compare=False)

    def release(self) -> None:
        """Leave the port to the engine, which serves now."""
        if self.port is not None:
            self.port.release()

    def table_with(self, own: Mapping[str, Any]) -> dict[str, Any]:
        """Return the model's table, overridden by the settings of the project's own table for the alias."""
        return {**self.table, **{key: value for key, value in own.items() if key != "model"}}

    def start(self) -> EngineProcess | None:
        """Start the engine, if the model needs one; it may not serve yet."""
        return EngineProcess(self.setup) if self.setup is not None else None


def resolve(name: str) -> LocalModel:
    """Return what a name stands for on this machine, after all checks that need no engine.

    ``local`` is the engine of the package if its weights are there, otherwise a server that runs.

    Raises:
        UsageError: there is no such server, no weights, no engine, or not enough memory.
    """
    parts = parse_name(name)
    if parts.server is not None:
        return _served(name, require_server(SERVER_KINDS[parts.server], parts.model))
    if parts == LocalName() and not QWEN.path.exists():
        server = find_server()
        if server is None:
            require_system()
            titles = ", ".join(f"{kind.title} at {kind.address}" for kind in SERVER_KINDS.values())
            raise UsageError(f"{_no_weights()}, or start a server: {titles}")
        return _served(name, server)
    require_system()
    if parts.path is not None:
        return _own(name, parts.path, None)
    if not QWEN.path.exists():
        raise UsageError(_no_weights())
    return _own(name, QWEN.path, QWEN)


def describe(name: str) -> LocalModel:
    """Return the meaning of a name without checking which programs run here, for a run that asks no model.

    Raises:
        UsageError: the name is none of the forms, or its weights cannot be read.
    """
    parts = parse_name(name)
    if parts.server is not None:
        kind = SERVER_KINDS[parts.server]
        served = _served(name, RunningServer(kind, "", parts.model or ""))
        return replace(served, description=f"{parts.model or 'the model'} of {kind.title} at {kind.address}")
    path, digest = (QWEN.path, QWEN.sha256) if parts.path is None else (parts.path, check_weights(parts.path))
    model = f"{LOCAL_PREFIX}{digest_name(path, digest)}"
    return LocalModel(name, {"model": model, "url": "http://127.0.0.1:9/v1", **_FREE}, {}, model)


def _own(name: str, path: Path, weights: Weights | None) -> LocalModel:
    engine_version = require_engine()
    digest = check_weights(path, weights)
    require_memory(path)
    weights = weights or (QWEN if digest == QWEN.sha256 else None)
    port, threads = ReservedPort(), usable_processors()
    model = f"{LOCAL_PREFIX}{digest_name(path, digest)}"
    template = (Path(__file__).parent / weights.template).read_text(encoding="utf-8") if weights else ""
    setup = EngineSetup(str(path), model, template, port.number, threads)
    facts = {
        "engine": f"{ENGINE} {engine_version}",
        "weights": path.name,
        "sha256": digest,
        "licence": weights.licence if weights else "unknown",
        "threads": threads,
        "context": CONTEXT,
        "url": port.url,
    }
    title = f"{weights.title}, {weights.licence}" if weights else path.name
    description = f"{title}, sha256 {digest[:12]}…, on {facts['engine']} with {threads} threads"
    table = {"model": model, "url": port.url, "tools": "json", **_FREE}
    return LocalModel(name, table, facts, description, setup, port)


def _served(name: str, server: RunningServer) -> LocalModel:
    facts = {"server": server.kind.title, "version": server.version, "model": server.model, "url": server.url}
    description = f"{server.model} of {server.kind.title} {server.version} at {server.kind.address}, found running"
    return LocalModel(name, {"model": server.model, "url": server.url, "tools": "auto", **_FREE}, facts, description)


def _no_weights() -> str:
    return (
        f"--model=local: there are no weights at {QWEN.path}; get them with `mcpbench fetch local` "
        f"({QWEN.title}, {QWEN.size / 1e9:.1f} GB, {QWEN.licence})"
    )
