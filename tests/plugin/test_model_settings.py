"""``--mcpbench-model-setting`` and what becomes of it."""

from pathlib import Path

import pytest

from fixtures.chat_server import chat_server, says
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.options.model_settings import with_model_settings
from pytest_mcpbench.runs.records import read_facts
from tests.plugin.conftest import usage_error

URL = "http://127.0.0.1:8000/v1#small"
ALIASES = {"mine": {"url": "http://host/v1", "top_p": 0.5}, "ours": "mine"}
CASES: dict[str, tuple[list[str], dict[str, object]]] = {
    "a model": (["mine:top_p=0.9"], {"mine": {"url": "http://host/v1", "top_p": 0.9}}),
    "an alias of an alias": (["ours:seed=1"], {"ours": {"url": "http://host/v1", "top_p": 0.5, "seed": 1}}),
    "a built-in alias": (
        ["claude:reasoning_effort=low"],
        {"claude": {"model": "anthropic/claude-opus-5-5", "reasoning_effort": "low"}},
    ),
    "a URL": ([f"{URL}:tools=json"], {URL: {"url": URL, "tools": "json"}}),
    "two of one": (
        ["mine:seed=1", "mine:extra.min_p=0.05"],
        {"mine": {"url": "http://host/v1", "top_p": 0.5, "seed": 1, "extra": {"min_p": 0.05}}},
    ),
    "two that require each other": (
        ["mine:input_price=1", "mine:output_price=2"],
        {"mine": {"url": "http://host/v1", "top_p": 0.5, "input_price": 1, "output_price": 2}},
    ),
    "a judge": (["judge/x:seed=1"], {"judge/x": {"model": "judge/x", "seed": 1}}),
}


@pytest.mark.parametrize(("texts", "changed"), CASES.values(), ids=CASES.keys())
def test_a_setting_replaces_that_of_the_alias(texts: list[str], changed: dict[str, object]) -> None:
    models = ["oracle", "mine", "ours", "claude", URL]
    assert with_model_settings(ALIASES, texts, models, ["judge/x"]) == {**ALIASES, **changed}


def test_a_setting_without_a_model_is_for_all_agents_with_a_model() -> None:
    changed = with_model_settings({}, ["seed=1"], ["lexical", "agent:x", "replay:d", "claude", "gpt"], ["judge/x"])
    assert {name: table["seed"] for name, table in changed.items()} == {"claude": 1, "gpt": 1}


WRONG = {
    "top_p": "write NAME=VALUE or MODEL:NAME=VALUE, for example top_p=0.9",
    "topp=1": "no setting is called 'topp'. Did you mean 'top_p'",
    "url=x": "no setting is called 'url'.",
    "extra=1": "no setting is called 'extra'.",
    "top_p=2": "should be less than or equal to 1.",
    "tools=jsn": "should be 'native', 'json', 'react' or 'auto'.",
    "output_price=1": "`input_price` and `output_price` (USD per million tokens) require each other",
    "gpt:seed=1": "no model of this run is called 'gpt'; there are: http://127.0.0.1:9/v1",
}


@pytest.mark.parametrize(("text", "message"), WRONG.items(), ids=WRONG.keys())
def test_a_wrong_setting_says_what_would_be_right(project: pytest.Pytester, text: str, message: str) -> None:
    error = usage_error(project, "--model=http://127.0.0.1:9/v1", f"--mcpbench-model-setting={text}")
    assert error.startswith(f"--mcpbench-model-setting={text}: {message}")


@pytest.mark.parametrize("name", ["oracle", "agent:codex"])
def test_an_agent_without_a_model_has_no_settings(project: pytest.Pytester, name: str) -> None:
    error = usage_error(project, f"--model={name}", "--mcpbench-model-setting=seed=1")
    assert error == "--mcpbench-model-setting=seed=1: no model of this run has settings; name one with --model"


def test_a_circle_of_aliases_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="leads in a circle"):
        with_model_settings({"a": "b", "b": "a"}, ["seed=1"], ["a"], [])


def test_the_request_and_run_json_have_the_setting(project: pytest.Pytester) -> None:
    with chat_server(lambda _body: says("Hi.")) as server:
        options = ("--mcpbench-model-setting=top_p=0.9", "--mcpbench-out=run", "-k", "read-shopping")
        project.runpytest_inprocess(f"--model={server.url}", *options)
        assert server.bodies[0]["top_p"] == 0.9
        facts = read_facts(Path("run"))
        assert facts["models"] == {server.url: {"top_p": 0.9}}
        assert facts["settings"]["model_settings"] == ["top_p=0.9"]


def test_a_model_without_a_temperature_is_named_before_the_run(project: pytest.Pytester) -> None:
    project.makepyprojecttoml('[tool.mcpbench.models]\nmine = {url = "http://127.0.0.1:9/v1", model = "x"}\n')
    models = ("--model=claude", "--model=mine", "--model=lexical", "--collect-only")
    result = project.runpytest_inprocess(*models, "--mcpbench-temperature=0.5")
    result.stdout.fnmatch_lines(["*claude has no temperature, so that its requests are sent without one*"])
    assert "mine has no temperature" not in result.stdout.str()
    assert "has no temperature" not in project.runpytest_inprocess(*models).stdout.str()


def test_a_variable_of_a_header_that_is_not_set_is_said_before_the_first_task(project: pytest.Pytester) -> None:
    alias = 'mine = {url = "http://127.0.0.1:9/v1", model = "m", headers = {X-Team = "${NOT_SET_ANYWHERE}"}}'
    project.makepyprojecttoml(f"[tool.mcpbench.models]\n{alias}")
    problem = "model 'mine': the environment variable NOT_SET_ANYWHERE of the header X-Team is not set"
    assert usage_error(project, "--model=mine") == problem
    assert usage_error(project, "--model=oracle", "--mcpbench-judge=mine") == problem
    assert project.runpytest_inprocess("--model=mine", "--collect-only", "-q").ret == 0


@pytest.mark.extra
@pytest.mark.parametrize(
    ("options", "model", "variable", "remedy"),
    [
        (("--model=claude",), "claude", "ANTHROPIC_API_KEY", "--model=lexical"),
        (("--model=gpt",), "gpt", "OPENAI_API_KEY", "--model=local"),
        (("--model=mine",), "mine", "TEAM_KEY", "--model=lexical"),
        (("--model=oracle", "--mcpbench-judge=keyfacts,gemini"), "gemini", "GEMINI_API_KEY", "--mcpbench-judge="),
        (("--model=oracle", "--mcpbench-user=grok"), "grok", "XAI_API_KEY", "--mcpbench-user=local"),
        (("--model=oracle", "--mcpbench-dispatcher=openai/embed"), "openai/embed", "OPENAI_API_KEY", "bm25 ranks"),
        (("--model=free", "--mcpbench-sampling=gpt"), "gpt", "OPENAI_API_KEY", "servers that ask"),
    ],
)
def test_a_key_that_is_not_set_is_said_before_the_first_task(
    project: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    model: str,
    variable: str,
    remedy: str,
) -> None:
    for prefix in ("ANTHROPIC", "OPENAI", "GEMINI", "GOOGLE", "XAI"):
        for ending in ("API_KEY", "AUTH_TOKEN", "API_BASE", "BASE_URL"):
            monkeypatch.delenv(f"{prefix}_{ending}", raising=False)
    project.makepyprojecttoml(
        '[tool.mcpbench.models]\nmine = {url = "http://127.0.0.1:9/v1", api_key_env = "TEAM_KEY"}\n'
        'free = {url = "http://127.0.0.1:9/v1", model = "m"}\n'
    )
    project.makefile(".mcpbench.yaml", talk="tasks: [{id: buy, ask: Hello, user: {goal: Buy milk.}}]\n")
    error = usage_error(project, *options)
    assert error.startswith(f"model {model!r} needs a key: set the environment variable {variable}; without ")
    assert remedy in error
    assert project.runpytest_inprocess(*options, "--collect-only", "-q").ret == 0


def test_a_run_without_models_needs_no_key_to_answer_servers(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-sampling=gpt")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["*model 'gpt' needs a key: set the environment variable OPENAI_API_KEY; without `sampling` in the suite*"]
    )
    # The same model is a judge here, which is asked in any case.
    options = ("--model=oracle", "--mcpbench-sampling=gpt", "--mcpbench-judge=gpt")
    assert "--mcpbench-judge=keyfacts judges by rules" in usage_error(project, *options)


SUITE = """
[[files]]
path = "tasks.yaml"
loader = "native"
"""


@pytest.fixture
def suite(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    directory = project.mkdir("mine")
    (directory / "suite.toml").write_text(SUITE, encoding="utf-8")
    (directory / "tasks.yaml").write_text("tasks: [{id: buy, ask: Hello, user: {goal: Buy milk.}}]", encoding="utf-8")
    return project


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--model=claude",), "model 'claude' needs a key: set the environment variable ANTHROPIC_API_KEY; without"),
        (("--model=oracle", "--mcpbench-judge=claude"), "model 'claude' needs a key: "),
        (("--model=oracle", "--mcpbench-user=claude"), "model 'claude' needs a key: "),
        (("--model=clawd",), "no model is called 'clawd'"),
    ],
    ids=["agent", "judge", "user", "no such model"],
)
def test_no_worker_starts_for_a_model_without_key(
    suite: pytest.Pytester, options: tuple[str, ...], message: str
) -> None:
    result = suite.runpytest_inprocess("--suite=mine/suite.toml", "-n2", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert message in result.stderr.str()
    assert "workers" not in result.stdout.str()


def test_a_key_that_nobody_needs_is_not_asked_for(suite: pytest.Pytester) -> None:
    file = suite.path / "mine" / "tasks.yaml"
    file.write_text("tasks: [{id: buy, ask: Hello, answer: Hello}]", encoding="utf-8")
    result = suite.runpytest_inprocess("--suite=mine/suite.toml", "--model=noop", "--mcpbench-user=claude")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    suite.makeconftest(
        "from pytest_mcpbench.agents.noop import NoopAgent\n"
        "def pytest_mcpbench_make_agent(model):\n"
        "    return NoopAgent() if model == 'claude' else None\n"
    )
    result = suite.runpytest_inprocess("--suite=mine/suite.toml", "--model=claude")
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_an_automatic_model_that_cannot_be_reached_is_said_before_the_first_task(project: pytest.Pytester) -> None:
    alias = 'mine = {url = "http://127.0.0.1:9/v1", model = "m", tools = "auto"}'
    project.makepyprojecttoml(f"[tool.mcpbench.models]\n{alias}")
    error = usage_error(project, "--model=mine")
    assert error.startswith("the form of its tool calls cannot be found out (tools = \"auto\"): model 'mine': http://")


def test_a_model_that_calls_tools_in_no_form_is_named_before_the_first_task(project: pytest.Pytester) -> None:
    with chat_server(lambda _: says("I cannot.")) as server:
        project.makepyprojecttoml(
            f'[tool.mcpbench.models]\nmine = {{url = "{server.url}", model = "m", tools = "auto"}}'
        )
        result = project.runpytest_inprocess("--model=mine", "-k", "read-shopping")
    result.stdout.fnmatch_lines(
        [
            "mcpbench: mine did not call a small tool when asked to, in none of the forms native, json, react; it is "
            "used with json, and the next run asks again",
        ]
    )
    result.assert_outcomes(failed=1)
