"""``--model=local``: resolved before the first task, one attempt at a time, tasks ordered by their tools."""

import json
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

from fixtures.model_servers import model_server
from pytest_mcpbench.models.local.running_servers import SERVER_KINDS, ServerKind
from tests.local_engine import needs_engine
from tests.plugin.conftest import usage_error

MIXED = """
servers: {a: {command: unused}, b: {command: unused}}
tasks:
  - {id: one, ask: Do it., servers: [a], tool: x}
  - {id: two, ask: Do it., servers: [b], tool: x}
  - {id: three, ask: Do it., servers: [a], tool: x}
  - {id: four, ask: Do it., servers: [b], tool: x}
"""


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[ServerKind]:
    with model_server("ollama", ["qwen3:8b"]) as kind:
        monkeypatch.setitem(SERVER_KINDS, "ollama", kind)
        yield kind


def facts_of(project: pytest.Pytester) -> dict[str, object]:
    (file,) = Path(project.path).glob(".mcpbench/runs/*/run.json")
    facts: dict[str, object] = json.loads(file.read_text())
    return facts


def test_a_server_that_runs_is_used_and_named(project: pytest.Pytester, ollama: ServerKind) -> None:
    result = project.runpytest_inprocess("--model=local:ollama", "-k", "read-shopping")
    result.stdout.fnmatch_lines([f"mcpbench: local:ollama is qwen3:8b of Ollama 1.2 at {ollama.address}*$0"])
    result.stdout.fnmatch_lines(["mcpbench: local:ollama: read 2000000 tokens/s (* tokens), *from the cache (60 %)"])
    facts = facts_of(project)
    expected = {"server": "Ollama", "version": "1.2", "model": "qwen3:8b", "url": f"{ollama.address}/v1"}
    assert facts["local_models"] == {"local:ollama": expected}
    assert facts["speeds"]["local:ollama"]["cached_tokens"] >= 60  # type: ignore[index]
    assert facts["settings"]["concurrency"] == 1  # type: ignore[index]


@pytest.mark.long
def test_workers_use_the_model_that_the_controller_has_found(project: pytest.Pytester, ollama: ServerKind) -> None:
    result = project.runpytest_inprocess("--model=local:ollama", "-n", "2")
    result.stdout.fnmatch_lines(["mcpbench: local:ollama: read 2000000 tokens/s (* tokens), *"])
    assert facts_of(project)["local_models"]


def test_a_table_of_the_project_keeps_its_settings(project: pytest.Pytester, ollama: ServerKind) -> None:
    project.makepyprojecttoml('[tool.mcpbench.models]\nmine = {model = "local:ollama", extra = {top_k = 1}}')
    result = project.runpytest_inprocess("--model=mine", "-k", "read-shopping")
    result.stdout.fnmatch_lines(["mcpbench: mine is qwen3:8b of Ollama*", "mcpbench: mine: read *"])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param(
            "local:missing.gguf",
            "the weights missing.gguf cannot be read: No such file or directory",
            marks=needs_engine,
        ),
        ("local:nothing", "no local model is called 'local:nothing'; there are: local, *"),
    ],
)
def test_a_model_that_cannot_run_is_a_usage_error(project: pytest.Pytester, name: str, message: str) -> None:
    assert fnmatch(usage_error(project, f"--model={name}"), message)


def test_tasks_with_the_same_tools_follow_each_other(pytester: pytest.Pytester) -> None:
    pytester.makefile(".mcpbench.yaml", mixed=MIXED)
    pytester.makepyfile("def test_plain(): pass")
    for model, order in (("noop", "one two three four"), ("local:ollama", "one three two four")):
        result = pytester.runpytest_inprocess(f"--model={model}", "--collect-only", "-q")
        ids = [line.partition("::")[2].partition("[")[0] for line in result.outlines if "::" in line]
        assert ids == [*order.split(), "test_plain"]


def test_the_order_by_tools_does_not_depend_on_what_is_selected(pytester: pytest.Pytester) -> None:
    pytester.makefile(".mcpbench.yaml", mixed=MIXED)
    result = pytester.runpytest_inprocess("--model=local:ollama", "--collect-only", "-q", "-k", "two or three")
    ids = [line.partition("::")[2] for line in result.outlines if "::" in line]
    assert ids == ["three[local:ollama]", "two[local:ollama]"]


def test_a_model_that_no_option_names_is_not_there_for_a_marker(project: pytest.Pytester) -> None:
    marker = "@pytest.mark.mcpbench(suite='notes.mcpbench.yaml', model='local:ollama')"
    project.makepyfile(test_marked=f"import pytest\n{marker}\ndef test_it(mcp_run): pass\n")
    message = usage_error(project, "test_marked.py")
    assert message.startswith("model 'local:ollama' is on this machine, and no option has started it; --model=")
