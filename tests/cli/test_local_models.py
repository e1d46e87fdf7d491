"""Commands that ask a local model: they find or start it, as a run does."""

import json
from pathlib import Path

import pytest

from fixtures.model_servers import model_server
from pytest_mcpbench.cli import main
from pytest_mcpbench.models.local.running_servers import SERVER_KINDS
from tests.local_engine import needs_engine

LABELLED = {"claim": "It is milk.", "answer": "Milk.", "label": 1}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("labels.jsonl").write_text(json.dumps(LABELLED), encoding="utf-8")
    Path("pyproject.toml").write_text('[tool.mcpbench.models]\nmine = {model = "local:ollama"}\n', encoding="utf-8")


def test_a_judge_is_the_server_that_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with model_server("ollama", ["qwen3:8b"]) as kind:
        monkeypatch.setitem(SERVER_KINDS, "ollama", kind)
        # The server says "Milk." to everything, which is no verdict: it was asked.
        assert main(["judge-agreement", "labels.jsonl", "--judge", "mine"]) == 2
    message = capsys.readouterr().err
    assert message.startswith(f"mine is qwen3:8b of Ollama 1.2 at {kind.address}, found running; $0\n")
    assert "judge 'mine' decided nothing: " in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            ["judge-agreement", "labels.jsonl", "--judge", "keyfacts,local:no.gguf"],
            "the weights no.gguf cannot be read",
            marks=needs_engine,
        ),
        pytest.param(
            ["mutate", "atlas", "--model", "local:no.gguf"], "the weights no.gguf cannot be read", marks=needs_engine
        ),
        (["mutate", "atlas", "--model", "agent:codex"], "--model agent:codex: only the first message of a model is"),
    ],
)
def test_a_model_that_cannot_be_asked_is_said_at_once(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert message in capsys.readouterr().err
