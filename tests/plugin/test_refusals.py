"""A provider that refuses the key, does not know the model, or was never reached ends the run."""

from typing import Any

import pytest

from fixtures.chat_server import Answer, chat_server, fails, refusing_url, says
from pytest_mcpbench.models.http_backend import HttpBackend
from pytest_mcpbench.models.provider_error import ProviderError
from pytest_mcpbench.models.rate_limited_model import Jitter
from pytest_mcpbench.models.rate_limiter import RateLimiter
from pytest_mcpbench.runs.records import read_report

_CLAIM = "tasks:\n" + "".join(f"  - {{id: t{n}, ask: Hello, claims: [It is milk.]}}\n" for n in range(20))
_ADVICE = "; every further attempt would end the same; correct the model's name, key or address, or *, then *"
_REFUSALS = [
    pytest.param(fails(401, "bad key"), "answered 401: bad key", id="a wrong key"),
    pytest.param(fails(404, "no model m"), "answered 404: no model m", id="an unknown model"),
    pytest.param(
        fails(400, "Incorrect API key provided"), "answered 400: Incorrect API key", id="a key that 400 names"
    ),
]


@pytest.fixture
def many(pytester: pytest.Pytester) -> pytest.Pytester:
    """A project with twenty tasks; runs have a look-ahead of four attempts."""
    pytester.makefile(".mcpbench.yaml", many=_CLAIM)
    pytester.makeini("[pytest]\nfilterwarnings = default\naddopts = --mcpbench-concurrency=4 --mcpbench-out=out\n")
    return pytester


def _assert_stopped(result: pytest.RunResult, message: str) -> None:
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *{message}*{_ADVICE}"])
    result.stdout.fnmatch_lines(["stopped: * of 20 attempts ran (*"])


@pytest.mark.parametrize(("refusal", "message"), _REFUSALS)
def test_a_refused_model_ends_the_run(many: pytest.Pytester, refusal: Answer, message: str) -> None:
    with chat_server(lambda _: refusal) as server:
        result = many.runpytest_inprocess(f"--model={server.url}")
    result.assert_outcomes(errors=1)
    _assert_stopped(result, message)


def test_a_refused_judge_ends_the_run_and_its_first_answer_is_kept(many: pytest.Pytester) -> None:
    with chat_server(lambda _: says("Milk.")) as agent, chat_server(lambda _: fails(401, "bad key")) as judge:
        result = many.runpytest_inprocess(f"--model={agent.url}", f"--mcpbench-judge=keyfacts,{judge.url}")
    _assert_stopped(result, "judge: *answered 401: bad key")
    assert read_report(many.path / "out").entries[0].outcome == "unscored"


@pytest.fixture
def _without_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Repeat requests at once."""
    monkeypatch.setattr(Jitter, "share", lambda _: 0.0)


@pytest.mark.usefixtures("_without_waits")
def test_a_model_that_was_never_reached_ends_the_run(many: pytest.Pytester) -> None:
    with refusing_url() as url:
        result = many.runpytest_inprocess(f"--model={url}")
        result.assert_outcomes(errors=1)
        _assert_stopped(result, f"{url.removesuffix('/v1')}* cannot be reached: connection refused after 2 attempts")


@pytest.mark.usefixtures("_without_waits")
@pytest.mark.parametrize("is_forgotten", [False, True], ids=["one process", "processes that do not know of each other"])
def test_a_model_that_has_answered_is_asked_again_for_each_attempt(
    many: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, is_forgotten: bool
) -> None:
    post, posts = HttpBackend._post, 0

    async def post_once(*arguments: Any) -> Any:
        nonlocal posts
        posts += 1
        if posts > 1:
            raise ProviderError("unreachable", "it cannot be reached")
        return await post(*arguments)

    monkeypatch.setattr(HttpBackend, "_post", post_once)
    if is_forgotten:
        monkeypatch.setattr(RateLimiter, "has_answered", property(lambda _: False, lambda *_: None), raising=False)
    with chat_server(lambda _: says("Milk.")) as server:
        result = many.runpytest_inprocess(f"--model={server.url}", "--mcpbench-concurrency=1")
    result.assert_outcomes(passed=1, errors=19)
    assert (result.ret, posts) == (pytest.ExitCode.TESTS_FAILED, 1 + 2 * 19)


@pytest.mark.long
def test_a_refusal_ends_the_run_of_workers(many: pytest.Pytester) -> None:
    with chat_server(lambda _: fails(401, "bad key")) as server:
        result = many.runpytest_inprocess("-n2", f"--model={server.url}")
    _assert_stopped(result, "answered 401: bad key")


@pytest.mark.extra
@pytest.mark.parametrize("status", [400, 402, 403, 422])
def test_a_request_that_is_refused_for_another_reason_is_an_error_of_its_attempt(
    many: pytest.Pytester, status: int
) -> None:
    with chat_server(lambda _: fails(status, "not like this")) as server:
        result = many.runpytest_inprocess(f"--model={server.url}")
    result.assert_outcomes(errors=20)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
