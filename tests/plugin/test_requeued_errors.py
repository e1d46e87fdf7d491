"""With ``--mcpbench-requeue-errors``, attempts that ended as errors are made again at the end of the run."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import pytest

from fixtures.chat_server import Answer, ChatServer, chat_server, fails, says
from pytest_mcpbench.runs.records import read_report

TASKS = "tasks:\n" + "".join(f"  - {{id: t{n}, ask: Say {n}., answer: '{n}'}}\n" for n in range(6))


class Outage:
    """Provider that fails the first requests of each of some tasks."""

    def __init__(self, failures: dict[str, int]) -> None:
        self.asked = list[str]()
        self._left = Counter(failures)

    def __call__(self, request: dict[str, Any]) -> Answer:
        asked = next(message["content"] for message in request["messages"] if message["role"] == "user")
        number = next(character for character in asked if character.isdigit())
        self.asked.append(number)
        if self._left[number]:
            self._left[number] -= 1
            return fails(400, "the model is not loaded")
        return says(f"<answer>{'no' if number == '5' else number}</answer>")


@pytest.fixture
def outage() -> Outage:
    """A provider that fails task 1 once and task 2 three times."""
    return Outage({"1": 1, "2": 3})


@pytest.fixture
def provider(outage: Outage) -> Iterator[ChatServer]:
    with chat_server(outage) as server:
        yield server


@pytest.fixture
def run(pytester: pytest.Pytester, provider: ChatServer) -> tuple[str, ...]:
    pytester.makefile(".mcpbench.yaml", say=TASKS)
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    return (f"--model={provider.url}#m", "--mcpbench-out=out", "--mcpbench-json=report.json", "--junitxml=junit.xml")


@pytest.mark.parametrize(
    "workers",
    [("--mcpbench-concurrency=1",), pytest.param(("-n", "1"), marks=pytest.mark.extra)],
    ids=["one process", "a worker"],
)
def test_only_the_last_attempt_of_an_item_is_reported(
    pytester: pytest.Pytester, run: tuple[str, ...], outage: Outage, workers: tuple[str, ...]
) -> None:
    result = pytester.runpytest_inprocess(*run, *workers, "--mcpbench-requeue-errors=2")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert result.parseoutcomes() == {"passed": 4, "failed": 1, "errors": 1, "rerun": 3}
    entries = json.loads((pytester.path / "report.json").read_text())["entries"]
    expected = {"t0": "passed", "t1": "passed", "t2": "error", "t3": "passed", "t4": "passed", "t5": "failed"}
    assert sorted((each["task_id"], each["outcome"]) for each in entries) == sorted(expected.items())
    assert len(read_report(pytester.path / "out").entries) == 6
    cases = ElementTree.parse(pytester.path / "junit.xml").iter("testcase")
    assert Counter(case.get("name") for case in cases).most_common(1)[0][1] == 1
    assert sorted(outage.asked[:6]) == list("012345")
    assert sorted(outage.asked[6:]) == list("122")


def test_errors_are_final_without_the_option(pytester: pytest.Pytester, run: tuple[str, ...], outage: Outage) -> None:
    pytester.runpytest_inprocess(*run).assert_outcomes(passed=3, failed=1, errors=2)
    assert sorted(outage.asked) == list("012345")


def test_an_error_of_a_task_is_not_repeated(pytester: pytest.Pytester, run: tuple[str, ...]) -> None:
    (pytester.path / "say.mcpbench.yaml").write_text("tasks:\n  - {id: a, ask: Say a.}\n")
    result = pytester.runpytest_inprocess(*run, "--mcpbench-requeue-errors=2")
    assert result.parseoutcomes() == {"errors": 1}


def test_a_run_that_ends_before_the_repetition_has_the_error(pytester: pytest.Pytester, run: tuple[str, ...]) -> None:
    result = pytester.runpytest_inprocess(*run, "--mcpbench-requeue-errors=2", "-x")
    assert result.ret == pytest.ExitCode.TESTS_FAILED  # at task 5, before the queue
    report = json.loads((pytester.path / "report.json").read_text())
    outcomes = {each["task_id"]: each["outcome"] for each in report["entries"]}
    assert (outcomes["t1"], outcomes["t2"], outcomes["t5"]) == ("error", "error", "failed")
