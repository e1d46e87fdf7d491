"""What a server's command inherits, and what is never shown."""

import os
import sys
from pathlib import Path

import pytest

from pytest_mcpbench.runtime.servers.environment import redacted, secrets_in, server_environment


def test_little_is_inherited_and_the_configuration_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in tuple(os.environ):
        monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    assert server_environment({"HOME": "/nowhere", "MODE": "test"}) == {
        "PATH": f"/usr/bin{os.pathsep}{Path(sys.executable).parent}",
        "HOME": "/nowhere",
        "MODE": "test",
    }


def test_secrets_are_known_by_their_names_and_replaced_in_what_is_shown() -> None:
    configured = {"API_TOKEN": "t0p-s3cret", "DB_PASSWORD": "hunter2", "MODE": "production", "KEY": "short"}
    secrets = secrets_in(configured)
    assert secrets == ("t0p-s3cret", "hunter2")
    assert redacted("production: t0p-s3cret/hunter2 short", secrets) == "production: ***/*** short"
