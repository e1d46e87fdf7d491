"""The grammar of model names: one order in which a name is looked up."""

from typing import Any

import pytest

from pytest_mcpbench.agents.factory import WITHOUT_MODEL
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.model_names import (
    AGENTS_WITHOUT_MODEL,
    alias_target,
    compared_models,
    is_in_process,
    key_variables,
    local_target,
    reads_local_file,
)

ALIASES: dict[str, Any] = {
    "mine": "small",
    "small": {"url": "http://localhost:8000/v1", "api_key_env": "MY_KEY"},
    "file": "recorded",
    "recorded": "scripted:replies.json",
    "table": {"model": "scripted:replies.json"},
    "claude": "openai/gpt-6-luna",
    "other": {"model": "x/y", "api_key_env": "OTHER_KEY"},
    "round": "about",
    "about": "round",
}


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("local", ("local", {}, "local")),
        ("local:ollama/a", ("local:ollama/a", {}, "local:ollama/a")),
        ("mine", None),
        ("other", None),
    ],
)
def test_names_of_local_models(name: str, target: object) -> None:
    assert local_target(name, ALIASES) == target


def test_an_alias_of_the_project_comes_before_a_local_model() -> None:
    own = {"local": {"url": "http://127.0.0.1:8081/v1"}, "small": {"model": "local", "seed": 1}}
    assert local_target("local", own) is None
    assert local_target("small", own) == ("small", own["small"], "local")


def test_the_agents_without_a_model_are_those_that_the_factory_makes() -> None:
    assert set(AGENTS_WITHOUT_MODEL) == set(WITHOUT_MODEL)


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("mine", ("small", ALIASES["small"])),
        ("claude", ("openai/gpt-6-luna", "openai/gpt-6-luna")),
        ("gpt", ("openai/gpt-6.1-sol", "openai/gpt-6.1-sol")),
        ("x/y", ("x/y", "x/y")),
    ],
)
def test_aliases_are_followed_to_their_end(name: str, target: tuple[str, Any]) -> None:
    assert alias_target(name, ALIASES) == target


def test_a_circle_of_aliases_is_an_error() -> None:
    with pytest.raises(UsageError, match="round → about → round leads in a circle"):
        alias_target("round", ALIASES)


@pytest.mark.parametrize(
    ("name", "in_process", "local"),
    [
        ("lexical", True, False),
        ("replay:runs/1", True, True),
        ("file", True, True),
        ("table", False, True),
        ("mine", False, False),
        ("round", False, False),
        ("anthropic/claude-opus-5-5", False, False),
    ],
)
def test_names_that_need_no_other_process_or_a_local_file(name: str, in_process: bool, local: bool) -> None:
    assert (is_in_process(name, ALIASES), reads_local_file(name, ALIASES)) == (in_process, local)


def test_the_keys_of_tables_are_listed_as_far_as_they_are_set() -> None:
    assert key_variables(ALIASES, {"MY_KEY": "x", "HOME": "/"}) == ("MY_KEY",)


def test_agents_without_a_model_are_compared_only_where_there_is_no_model() -> None:
    without = ("oracle", "noop@rounds:5", "lexical [before]", "replay:.mcpbench/runs/1")
    assert compared_models((*without, "agent:mine", "claude@rounds:5")) == ("agent:mine", "claude@rounds:5")
    assert compared_models(without) == without
