"""Stages of a pipeline: their files, interrupted runs, edited candidates and failing models."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

from pytest_mcpbench.core.errors import ModelError, UsageError
from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition
from pytest_mcpbench.generation.pipeline.candidates import Candidate, Drop
from pytest_mcpbench.generation.pipeline.running import Listener, PipelineResult, run_stages
from pytest_mcpbench.generation.pipeline.settings import PipelineSettings, check_settings
from pytest_mcpbench.generation.pipeline.setup import find_tool
from pytest_mcpbench.generation.pipeline.stages import Asking, EachStage, Outcome, Selection, Stage, WholeStage, summary


class Number(Candidate):
    value: int


def two_stages(double: Callable[[Number], Outcome] | None = None, **options: Any) -> list[Stage]:
    """Stages that count to six and double what is even."""

    async def count(_nothing: Sequence[Candidate]) -> Selection:
        return Selection([Number(id=f"n{value}", value=value) for value in range(1, 7)])

    async def step(number: Number) -> Outcome:
        return (double or doubled)(number)

    return [WholeStage("count", Number, count), EachStage("double", Number, step, **options)]


def doubled(number: Number) -> Outcome:
    if number.value % 2:
        return Drop("it is odd", f"{number.value}")
    return [Number(id=f"d{number.value}", value=2 * number.value)]


async def keep(number: Number) -> Outcome:
    return [number]


def run(stages: Sequence[Stage], directory: Path, **functions: Any) -> PipelineResult:
    return anyio.run(run_stages, stages, directory, Listener(**functions))


def values(result: PipelineResult) -> list[int]:
    return [each.value for each in result.candidates if isinstance(each, Number)]


def test_each_stage_writes_what_it_keeps_and_what_it_drops(tmp_path: Path) -> None:
    result = run(two_stages(), tmp_path)
    assert values(result) == [4, 8, 12]
    assert (tmp_path / "02-double.jsonl").read_text().splitlines()[0] == '{"id":"d2","origin":"n2","value":4}'
    assert '"reason":"it is odd","detail":"1"' in (tmp_path / "02-double.dropped.jsonl").read_text()
    assert summary(result.counts).splitlines() == [
        "stage      in   kept  dropped  reasons",
        "count       0      6        0",
        "double      6      3        3  it is odd (3)",
    ]


def test_a_stage_that_the_budget_ended_is_repeated_by_the_next_run(tmp_path: Path) -> None:
    budget = [1, 2, 2]

    async def buy(_nothing: Sequence[Candidate]) -> Selection:
        bought = budget.pop(0)
        return Selection([Number(id=f"n{at}", value=at) for at in range(bought)], is_final=bought == 2)

    stages = [WholeStage("buy", Number, buy)]
    assert [values(run(stages, tmp_path)) for _ in range(3)] == [[0], [0, 1], [0, 1]]
    assert budget == [2]


def test_a_stage_of_all_candidates_may_be_a_plain_function(tmp_path: Path) -> None:
    def largest(numbers: Sequence[Number]) -> Selection:
        return Selection([max(numbers, key=lambda each: each.value)])

    stages = [*two_stages(), WholeStage("largest", Number, largest)]
    assert values(run(stages, tmp_path)) == [12]
    # An error after an edit names the edited file, as that of an async function.
    (tmp_path / "02-double.jsonl").write_text("")
    with pytest.raises(UsageError, match=r"02-double\.jsonl was edited, and the stage largest cannot work with"):
        run(stages, tmp_path)


@pytest.mark.parametrize("concurrency", [1, 2])
def test_a_run_that_failed_goes_on_and_leaves_the_same_bytes(tmp_path: Path, concurrency: int) -> None:
    run(two_stages(), tmp_path / "whole")
    seen: list[int] = []

    def fail_at_four(number: Number) -> Outcome:
        seen.append(number.value)
        if number.value == 4 and seen.count(4) == 1:
            raise ModelError("is overloaded", "m")
        return doubled(number)

    stages = two_stages(fail_at_four, concurrency=concurrency)
    with pytest.raises(ModelError, match="overloaded"):
        run(stages, tmp_path / "broken")
    # The beginning of a line that a killed run has left.
    with (tmp_path / "broken/02-double.jsonl").open("a") as file:
        file.write('{"id":"d4","ori')
    run(stages, tmp_path / "broken")
    assert seen.count(1) == seen.count(2) == 1
    for name in ("01-count.jsonl", "02-double.jsonl", "02-double.dropped.jsonl"):
        assert (tmp_path / "broken" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_edited_candidates_are_taken_as_they_are_and_later_stages_are_repeated(tmp_path: Path) -> None:
    told: list[str] = []
    run(two_stages(), tmp_path)
    (tmp_path / "01-count.jsonl").write_text('{"id":"mine","value":50}\n')
    assert values(run(two_stages(), tmp_path, tell=told.append)) == [100]
    assert told == [
        "count: 01-count.jsonl was edited and is taken as it is",
        "double: the candidates before it have changed, so it is repeated",
    ]
    assert (tmp_path / "02-double.jsonl.before").read_text().startswith('{"id":"d2"')


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('{"id":"a","value":"many"}\n', r"01-count\.jsonl:1: value: .*valid integer.*Correct the line or delete it"),
        ('{"id":"a","value":1,\n', r"01-count\.jsonl:1: Invalid JSON: EOF while .* at column 20\. Correct the line"),
        ('{"id":"a","valeu":1}\n', r"01-count\.jsonl:1: there is no field 'valeu'\. Did you mean 'value'\? Correct"),
        ('{"id":"a","value":0}\n', r"01-count\.jsonl was edited, and the stage double .* 'a': ZeroDivisionError: "),
        ('{"id":"a","value":1}\n{"id":"a","value":2}\n', r"01-count\.jsonl:2: the id 'a' is used twice"),
    ],
)
def test_an_edited_line_that_is_no_candidate_is_named(tmp_path: Path, lines: str, message: str) -> None:
    def divide(number: Number) -> Outcome:
        return [Number(id=number.id, value=12 // number.value)]

    run(two_stages(divide), tmp_path)
    (tmp_path / "01-count.jsonl").write_text(lines)
    with pytest.raises(UsageError, match=message):
        run(two_stages(divide), tmp_path)


def test_a_step_that_breaks_down_without_an_edit_is_no_usage_error(tmp_path: Path) -> None:
    def divide(number: Number) -> Outcome:
        return [Number(id=number.id, value=12 // (number.value - 3))]

    with pytest.raises(ExceptionGroup) as raised:
        run(two_stages(divide), tmp_path)
    assert raised.group_contains(ZeroDivisionError)


@pytest.mark.parametrize(
    ("server", "tool", "message"),
    [
        ("weather", "get_tmie", r"the tool 'get_tmie', which weather does not have\. Did you mean 'get_time'\?"),
        ("wether", "get_time", r"the server 'wether', which is not one of the run\. Did you mean 'weather'\?"),
    ],
)
def test_an_edited_candidate_with_a_tool_of_no_server_is_an_error_with_the_nearest_name(
    server: str, tool: str, message: str
) -> None:
    servers = {"weather": ServerDefinition("weather", (ToolDefinition({"name": "get_time"}),))}
    with pytest.raises(UsageError, match=message):
        find_tool(servers, server, tool)


def test_a_run_asks_for_leave_once_and_before_the_first_question(tmp_path: Path) -> None:
    asked: list[tuple[list[str], int]] = []

    def refuse(stages: Sequence[Stage], candidates: int) -> None:
        asked.append(([stage.name for stage in stages], candidates))
        raise UsageError("not now")

    asking = Asking(prompt_tokens=10, reply_tokens=5)
    stages = [*two_stages(asks=asking), EachStage("check", Number, keep, asking)]
    with pytest.raises(UsageError, match="not now"):
        run(stages, tmp_path, before_asking=refuse)
    assert asked == [(["double", "check"], 6)]
    confirmed: list[int] = []
    result = run(stages, tmp_path, before_asking=lambda _stages, candidates: confirmed.append(candidates))
    assert (values(result), confirmed) == ([4, 8, 12], [6])
    assert values(run(stages, tmp_path, before_asking=refuse)) == [4, 8, 12]


def test_other_settings_in_the_same_directory_are_an_error_that_names_them(tmp_path: Path) -> None:
    check_settings(tmp_path, PipelineSettings(pipeline="tools", seed=1))
    check_settings(tmp_path, PipelineSettings(pipeline="tools", seed=1))
    with pytest.raises(UsageError, match=r"seed 1, now 2.*--work"):
        check_settings(tmp_path, PipelineSettings(pipeline="tools", seed=2))
