"""Model servers that run already are found, and told from other programs."""

import re
import socket
from collections.abc import Iterator
from dataclasses import replace

import pytest

from fixtures.model_servers import model_server
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.models.local.running_servers import (
    SERVER_KINDS,
    RunningServer,
    ServerKind,
    find_server,
    require_server,
)


@pytest.fixture
def closed() -> Iterator[ServerKind]:
    """Ollama at a port where nothing listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield replace(SERVER_KINDS["ollama"], port=held.getsockname()[1])


@pytest.mark.parametrize("key", SERVER_KINDS)
def test_the_only_model_of_a_running_server_is_used(key: str, closed: ServerKind) -> None:
    with model_server(key, ["qwen"]) as kind:
        assert find_server({"closed": closed, key: kind}) == RunningServer(kind, "1.2", "qwen")


def test_no_server_is_found_where_none_runs(closed: ServerKind) -> None:
    assert find_server({"ollama": closed}) is None


def test_another_program_at_the_port_is_no_server() -> None:
    with model_server("ollama", ["qwen"], probe={"status": "a web site"}) as kind:
        assert find_server({"ollama": kind}) is None
        with pytest.raises(UsageError, match=f"127.0.0.1:{kind.port} is taken by a program that is not Ollama"):
            require_server(kind)


def test_a_server_that_does_not_run_is_an_error_that_says_where_it_was_looked_for(closed: ServerKind) -> None:
    with pytest.raises(UsageError, match=f"^local:ollama: Ollama does not run at http://127.0.0.1:{closed.port}; "):
        require_server(closed)


@pytest.mark.parametrize(
    ("models", "model", "message"),
    [
        ([], None, "has no model; give it one: ollama pull"),
        (["a", "b"], None, "has 2 models; choose one with --model=local:ollama/NAME: a, b"),
        (["a", "b"], "c", "has no model 'c'; choose one with --model=local:ollama/NAME: a, b"),
    ],
)
def test_a_server_without_the_model_is_an_error_that_names_its_models(
    models: list[str], model: str | None, message: str
) -> None:
    with model_server("ollama", models) as kind, pytest.raises(UsageError, match=re.escape(message)):
        require_server(kind, model)


def test_one_of_several_models_is_chosen_by_its_name() -> None:
    with model_server("ollama", ["a", "b:3b"]) as kind:
        assert require_server(kind, "b:3b").model == "b:3b"
