"""What can be wrong about ``--mcpbench-engine`` is said before the first task."""

import importlib.util
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_mcpbench.attempt.engines import factory
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.model_names import key_variables

needs_ray = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="needs Ray: pip install 'pytest-mcpbench[ray]'"
)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(
            ["--mcpbench-engine=dask"], "there is no 'dask'; there are: local, shared, ray, ray://ADDRESS", id="name"
        ),
        pytest.param(["--mcpbench-engine=ray", "-n", "2"], "=ray and -n exclude each other", id="with workers"),
        pytest.param(
            ["--mcpbench-engine=ray", "--mcpbench-engine-env=NOT_SET_ANYWHERE"],
            "not set in the environment: NOT_SET_ANYWHERE",
            id="a variable that is not set",
            marks=needs_ray,
        ),
        pytest.param(
            ["--mcpbench-engine=ray://head"], "write ray://HOST:PORT, not ray://head", id="no port", marks=needs_ray
        ),
    ],
)
def test_a_mistake_is_a_usage_error(project: pytest.Pytester, arguments: list[str], said: str) -> None:
    result = project.runpytest_inprocess(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said in result.stderr.str() + result.stdout.str()


def test_the_local_engine_is_no_engine(project: pytest.Pytester) -> None:
    project.runpytest_inprocess("--model=oracle", "--mcpbench-engine=local").assert_outcomes(passed=2)


def test_where_ray_is_missing_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factory, "importlib", SimpleNamespace(util=SimpleNamespace(find_spec=_finds_nothing)))
    with pytest.raises(UsageError, match=r"pip install 'pytest-mcpbench\[ray\]'"):
        factory.check_engine("ray")


def test_only_named_variables_travel() -> None:
    environment = {"OPENAI_API_KEY": "a", "MY_KEY": "b", "HOME": "/root"}
    aliases: dict[str, Any] = {"mine": {"model": "x", "api_key_env": "MY_KEY"}, "other": "gpt-5"}
    keys = key_variables(aliases, environment)
    assert factory.selected_variables((*keys, "OPENAI_API_KEY"), environment) == {"MY_KEY": "b", "OPENAI_API_KEY": "a"}


def _finds_nothing(name: str) -> None:
    return None
