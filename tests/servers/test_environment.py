"""Environment variables that a server's command inherits."""

import os
import sys
from pathlib import Path

import pytest

from pytest_mcpbench.servers.environment import hint_at_missing_variable, server_environment

OWN = str(Path(sys.executable).parent)


@pytest.mark.parametrize(
    ("prefix", "search_path"),
    [("/home/me/.venv", f"{OWN}{os.pathsep}/usr/bin"), ("/usr", f"/usr/bin{os.pathsep}{OWN}")],
    ids=["as if the virtual environment were activated", "the system's Python hides nothing"],
)
def test_little_is_inherited_and_the_configuration_comes_first(
    prefix: str, search_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in tuple(os.environ):
        monkeypatch.delenv(name)
    monkeypatch.setattr(sys, "prefix", prefix)
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    environment = server_environment({"HOME": "/nowhere", "MODE": "test"})
    assert environment == {"PATH": search_path, "HOME": "/nowhere", "MODE": "test"}


@pytest.mark.parametrize(
    ("stderr", "hint"),
    [
        ("KeyError: 'SHOP_API_KEY'", "SHOP_API_KEY is not set: "),
        ("Error: DEMO_TOKEN environment variable is required", "DEMO_TOKEN is set here but not passed on: "),
        ("missing GIVEN_NAME", ""),
        ("SOME_CONSTANT = 3", ""),
    ],
)
def test_a_variable_that_a_server_misses_is_hinted_at(monkeypatch: pytest.MonkeyPatch, stderr: str, hint: str) -> None:
    monkeypatch.setenv("DEMO_TOKEN", "t")
    found = hint_at_missing_variable(stderr, {"GIVEN_NAME": "x"})
    assert found.startswith(hint)
    assert bool(found) == bool(hint)
