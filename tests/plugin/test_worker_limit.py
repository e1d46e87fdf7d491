"""On few processors a run of suites alone starts one worker a processor, with as many attempts at once."""

import os

import pytest

from pytest_mcpbench.options.settings import Settings
from pytest_mcpbench.plugin.xdist.defaults import limit_workers

_SUITES = ("notes.mcpbench.yaml",)


def _config(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, *arguments: str, cores: int) -> pytest.Config:
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    config = pytester.parseconfig(*arguments)
    config.option.tx = ["popen"] * 16
    return config


def test_the_attempts_of_sixteen_workers_run_in_two(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    config = _config(pytester, monkeypatch, cores=2)
    assert limit_workers(config, Settings(suites=_SUITES, concurrency=8)) is not None
    assert config.option.tx == ["popen", "popen"]
    assert config.option.mcpbench_concurrency == 8 * 16 / 2


@pytest.mark.parametrize(
    ("arguments", "settings", "cores"),
    [
        pytest.param((), Settings(suites=_SUITES, concurrency=8), 16, id="many processors"),
        pytest.param(("--mcpbench-engine=shared",), Settings(suites=_SUITES, concurrency=8), 2, id="an engine"),
        pytest.param((), Settings(suites=_SUITES, concurrency=1), 2, id="one attempt at once"),
        pytest.param((), Settings(concurrency=8), 2, id="tests too"),
        pytest.param((".",), Settings(suites=_SUITES, concurrency=8), 2, id="a path too"),
    ],
)
def test_workers_that_are_of_use_start(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    settings: Settings,
    cores: int,
) -> None:
    config = _config(pytester, monkeypatch, *arguments, cores=cores)
    assert limit_workers(config, settings) is None
    assert len(config.option.tx) == 16
    assert config.option.mcpbench_concurrency is None


@pytest.mark.parametrize(
    ("conftest", "workers"),
    [("# Nothing.", 2), ("def pytest_runtest_setup(item): pass", 16)],
    ids=["without code", "with a hook"],
)
def test_only_a_conftest_with_code_keeps_all_workers(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, conftest: str, workers: int
) -> None:
    pytester.makeconftest(conftest)
    config = _config(pytester, monkeypatch, cores=2)
    limit_workers(config, Settings(suites=_SUITES, concurrency=8))
    assert len(config.option.tx) == workers


@pytest.mark.long
@pytest.mark.skipif((os.cpu_count() or 1) > 4, reason="with more processors all workers start")
def test_a_run_says_how_many_workers_start(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--suite=notes.mcpbench.yaml", "--model=oracle", "-n5")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines([f"mcpbench: {os.cpu_count()} workers instead of 5: *"])
