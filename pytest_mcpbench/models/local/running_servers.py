"""Model servers that run on this machine, found on their usual ports."""

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.model_names import LOCAL_PREFIX

_SECONDS = 2.0
_LONGEST_REPLY = 1 << 20


@dataclass(frozen=True)
class ServerKind:
    """Kind of server: its usual port, and the reply that tells it from other programs on that port."""

    key: str
    title: str
    port: int
    probe: str
    """Path whose JSON reply has :attr:`field`."""
    field: str
    remedy: str
    """Command that gives a server without models one."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"


SERVER_KINDS: Mapping[str, ServerKind] = {
    "llamacpp": ServerKind("llamacpp", "llama.cpp", 8080, "/props", "build_info", "llama-server -m MODEL.gguf"),
    "ollama": ServerKind("ollama", "Ollama", 11434, "/api/version", "version", "ollama pull qwen2.5:3b"),
    "vllm": ServerKind("vllm", "vLLM", 8000, "/version", "version", "vllm serve MODEL"),
}


@dataclass(frozen=True)
class RunningServer:
    """Server that was found, with the model that is used."""

    kind: ServerKind
    version: str
    model: str

    @property
    def url(self) -> str:
        """Base URL of its OpenAI-compatible API."""
        return f"{self.kind.address}/v1"


def find_server(kinds: Mapping[str, ServerKind] = SERVER_KINDS) -> RunningServer | None:
    """Return the first server that runs; ``None`` if there is none.

    Raises:
        UsageError: the server has no model, or several.
    """
    for kind in kinds.values():
        version = _version(kind)
        if version is not None:
            return RunningServer(kind, version, _choose_model(kind, None))
    return None


def require_server(kind: ServerKind, model: str | None = None) -> RunningServer:
    """Return the server of a kind.

    Raises:
        UsageError: it does not run, another program has its port, or it does not have the model.
    """
    version = _version(kind)
    if version is not None:
        return RunningServer(kind, version, _choose_model(kind, model))
    problem = f"{kind.address} is taken by a program that is not {kind.title}"
    try:
        _opener().open(kind.address, timeout=_SECONDS).close()
    except urllib.error.HTTPError as reply:
        reply.close()
    except HTTPException:
        pass  # it speaks another protocol than HTTP
    except OSError:
        problem = f"{kind.title} does not run at {kind.address}"
    raise UsageError(
        f"{LOCAL_PREFIX}{kind.key}: {problem}; start it there, or name its address with --model=http://HOST:PORT/v1"
    )


def _choose_model(kind: ServerKind, model: str | None) -> str:
    models = []
    match _request(f"{kind.address}/v1/models"):
        case {"data": [*entries]}:
            models = [str(each["id"]) for each in entries if isinstance(each, dict) and each.get("id")]
    if model is None and len(models) == 1:
        return models[0]
    if not models:
        raise UsageError(f"{kind.title} runs at {kind.address} and has no model; give it one: {kind.remedy}")
    if model in models:
        return str(model)
    choice = f"choose one with --model={LOCAL_PREFIX}{kind.key}/NAME: {', '.join(models)}"
    problem = f"has no model {model!r}" if model else f"has {len(models)} models"
    raise UsageError(f"{kind.title} at {kind.address} {problem}; {choice}")


def _version(kind: ServerKind) -> str | None:
    """Return the version of a server of this kind; ``None`` if there is none."""
    reply = _request(f"{kind.address}{kind.probe}")
    return str(reply[kind.field]) if isinstance(reply, dict) and kind.field in reply else None


def _request(url: str) -> Any:
    """Return the decoded reply to a GET; ``None`` if there is no reply in JSON."""
    try:
        with _opener().open(url, timeout=_SECONDS) as response:
            return json.loads(response.read(_LONGEST_REPLY))
    except (OSError, HTTPException, ValueError, RecursionError):
        return None


def _opener() -> urllib.request.OpenerDirector:
    # A proxy from HTTP_PROXY cannot reach this machine's loopback interface.
    return urllib.request.build_opener(urllib.request.ProxyHandler({}))
