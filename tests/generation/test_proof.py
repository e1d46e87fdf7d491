"""The proof of generated tasks: every kind of bad candidate is dropped for its reason."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from pytest_mcpbench.agents.llm import LlmAgent
from pytest_mcpbench.agents.noop import NoopAgent
from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef
from pytest_mcpbench.core.tool import Content, ToolResult
from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.generation.making import choose, proof_stages
from pytest_mcpbench.generation.pipeline.candidates import TaskCandidate
from pytest_mcpbench.generation.pipeline.reply_cache import BudgetError, ReplyCache
from pytest_mcpbench.generation.pipeline.running import PipelineResult, run_stages
from pytest_mcpbench.generation.pipeline.settings import PipelineSettings
from pytest_mcpbench.generation.pipeline.setup import Setup, Solver
from pytest_mcpbench.generation.pipeline.stages import Selection, WholeStage
from pytest_mcpbench.generation.proof.playing import wording_fault
from pytest_mcpbench.generation.reported_errors import problem_of
from tests.builders import a_task, expected_call
from tests.generation.test_pipeline_questions import Speaker

SHOP = ServerRef(name="shop", transport="in_process", factory="fixtures.shop_server:server")
UNRELIABLE_SHOP = SHOP.model_copy(update={"factory": "fixtures.shop_server:unreliable_server"})
DICTIONARIES = {"symbol": {"TSLA": "Tesla", "MSFT": "Microsoft"}}


def a_candidate(request: str, tool: str = "get_order", arguments: Any = None, **fields: Any) -> TaskCandidate:
    call = {"tool": tool, "arguments": {"order_id": "B20"} if arguments is None else arguments}
    return TaskCandidate(id="t1", task={"ask": request, "servers": ["shop"], "calls": [call], **fields})


def prove(
    directory: Path, *candidates: TaskCandidate, tasks: int = 9, server: ServerRef = SHOP, **fields: Any
) -> PipelineResult:
    """Return the result of the proof; ``fields`` are those of the setup."""
    return anyio.run(_prove, directory, candidates, tasks, server, fields)


async def _prove(
    directory: Path, candidates: tuple[TaskCandidate, ...], tasks: int, server: ServerRef, fields: dict[str, Any]
) -> PipelineResult:
    files = (TaskFileRef(path="tasks.jsonl", loader="native"),)
    floors = {"ast": 1.0, "dag_leaf": 1.0}
    suite = SuiteManifest(name="s", directory=str(directory), files=files, servers={"shop": server}, floors=floors)

    async def written(_nothing: object) -> Selection:
        return Selection(candidates)

    async with ServerPool() as pool:
        servers = {"shop": await pool.definition(server)}
        settings = PipelineSettings(pipeline="tools", tasks=tasks, trials=2)
        setup = Setup(settings, suite, servers, pool, dictionaries=DICTIONARIES, **fields)
        return await run_stages([WholeStage("write", TaskCandidate, written), *proof_stages(setup)], directory)


def reasons(result: PipelineResult) -> dict[str, str]:
    """Return the stage that dropped candidates, by reason."""
    return {reason: count.stage for count in result.counts for reason in count.reasons}


GOOD = a_candidate("What do we know about order B20?")
OTHER = a_candidate("Has the lamp of A17 left?", arguments={"order_id": "A17"}).model_copy(update={"id": "t2"})


@pytest.mark.parametrize(
    ("candidate", "stage", "reason"),
    [
        (a_candidate("What about B20?", "no_such_tool"), "reference", "the reference fails on the server"),
        (TaskCandidate(id="t1", task={"ask": "Is it there?", "floors": 3}), "wording", "the task is not valid"),
        (a_candidate("B20"), "wording", "the request is too short"),
        (a_candidate("Please run get_order for B20."), "wording", "the request names a tool or a parameter"),
        (a_candidate("Which order has the order_id B20?"), "wording", "the request names a tool or a parameter"),
        (
            a_candidate("Show me the price, symbol: TSLA.", "get_share_price", {"symbol": "TSLA"}),
            "wording",
            "the request recites an argument",
        ),
        (
            a_candidate("What do we know about Z99?", arguments={"order_id": "Z99"}),
            "reference",
            "the reference fails on the server",
        ),
        (a_candidate("What do we know about the desk?"), "reference", "a value in the reference cannot be known"),
        (
            a_candidate("What is a share of Coke worth?", "get_share_price", {"symbol": "KO"}),
            "reference",
            "a value in the reference cannot be known",
        ),
        (
            a_candidate(
                "What do we know about order B20?",
                state=[{"updated": "orders[B20]", "world": "shop", "where": {"status": "cancelled"}}],
                floors={"state": 1},
            ),
            "reference",
            "the reference does not pass",
        ),
        (
            a_candidate("Is order B20 there?", floors={"ast": 0, "dag_leaf": 0}),
            "trivial",
            "doing nothing passes the task",
        ),
        (
            a_candidate(
                "Tell me whether B20 is open.",
                answer={"regex": "B20", "example": "B20"},
                floors={"answer": 1, "ast": 0, "dag_leaf": 0},
            ),
            "trivial",
            "repeating the request passes the task",
        ),
        (
            a_candidate("Which orders do we have?", "list_orders", {}, tools=["list_orders"]),
            "trivial",
            "calling every tool passes the task",
        ),
        (
            a_candidate("Please list the orders of the shop.", "list_orders", {}),
            "trivial",
            "calling for each sentence the tool with most of its words passes the task",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_bad_candidate_is_dropped_for_its_reason(
    tmp_path: Path, candidate: TaskCandidate, stage: str, reason: str
) -> None:
    result = prove(tmp_path, candidate)
    assert (list(result.candidates), reasons(result)) == ([], {reason: stage})


@pytest.mark.parametrize(
    "candidate",
    [
        GOOD,
        a_candidate("What is a share of Tesla worth?", "get_share_price", {"symbol": "TSLA"}),
        TaskCandidate(
            id="t1",
            task={
                "ask": "List all orders, then tell me about the first one.",
                "servers": ["shop"],
                "calls": [
                    {"tool": "list_orders", "arguments": {}},
                    {"tool": "get_order", "arguments": {"order_id": "<1_result[0].order_id>"}},
                ],
            },
        ),
    ],
    ids=["from the request", "from a dictionary", "from an earlier result"],
)
def test_a_task_whose_values_can_be_known_is_kept_as_it_is(tmp_path: Path, candidate: TaskCandidate) -> None:
    result = prove(tmp_path, candidate)
    assert [each.task for each in result.candidates if isinstance(each, TaskCandidate)] == [candidate.task], reasons(
        result
    )


def test_a_reference_with_a_result_that_reports_an_error_is_dropped(tmp_path: Path) -> None:
    result = prove(tmp_path, a_candidate("Are people happy there?", "_get_rating", {}), server=UNRELIABLE_SHOP)
    assert reasons(result) == {"a result of the reference is an error": "reference"}


def test_a_task_whose_results_differ_is_tagged_with_the_tool(tmp_path: Path) -> None:
    result = prove(tmp_path, a_candidate("What is my luck today?", "_draw_lot", {}), server=UNRELIABLE_SHOP)
    (kept,) = result.candidates
    assert isinstance(kept, TaskCandidate)
    assert kept.task["tags"] == {"changing": "_draw_lot"}


@pytest.mark.parametrize(
    ("text", "is_error"),
    [
        ('Database error: near "coffee": syntax error', True),
        ("Error executing query: no such table", True),
        ("Failed to read the file", True),
        ('{"status": "error", "data": "no such city"}', True),
        ('{"result": "{\\"status\\": \\"error\\", \\"message\\": \\"not a directory\\"}"}', True),
        ('{"notes.txt": {"result": "error", "reason": "no such file"}}', True),
        ('{"first build": {"status": "failed"}, "second build": {"status": "passed"}}', False),
        ("Document notes.docx does not exist", True),
        ("The note was not found.", True),
        ("ENOENT: no such file or directory, open 'notes.txt'", True),
        ("Found 3 notes, which must have been there before: milk " + "and tea " * 50, False),
        ("The error rate is 3 %", False),
        ("Errors: 0", False),
        ("The meeting moves to Thursday. Endnotes: see below", False),
        ('{"status": "open"}', False),
    ],
)
def test_the_text_of_an_error_is_no_result_whatever_the_protocol_calls_it(text: str, *, is_error: bool) -> None:
    assert (problem_of(ToolResult(content=(Content(type="text", text=text),))) is not None) is is_error


def test_of_two_requests_with_nearly_the_same_words_one_is_kept(tmp_path: Path) -> None:
    twin = GOOD.model_copy(update={"id": "t2"})
    other = a_candidate("I want everything about order B20, please.").model_copy(update={"id": "t3"})
    result = prove(tmp_path, GOOD, twin, other)
    assert [each.id for each in result.candidates] == ["t1", "t3"]
    assert reasons(result) == {"the request resembles that of another task": "distinct"}


def test_no_more_tasks_are_kept_than_were_asked_for_in_equal_shares(tmp_path: Path) -> None:
    requests = ["Tell me about order B20.", "Is B20 shipped or open?", "I want all of order B20.", "How does B20 do?"]
    candidates = [
        a_candidate(request, tags={"calls": "2" if number == 3 else "1"}).model_copy(update={"id": f"t{number}"})
        for number, request in enumerate(requests)
    ]
    assert [each.id for each in prove(tmp_path, *candidates, tasks=2).candidates] == ["t0", "t3"]


@pytest.mark.parametrize(
    ("agent", "tags"),
    [
        (OracleAgent(), {"difficulty": "easy", "solved": "2 of 2"}),
        (NoopAgent(), {"difficulty": "hard", "solved": "0 of 2"}),
    ],
    ids=["oracle", "noop"],
)
def test_a_solver_tags_the_difficulty(tmp_path: Path, agent: Any, tags: dict[str, str]) -> None:
    (task,) = prove(tmp_path, GOOD, solver=Solver("solver", agent, asks_model=False)).candidates
    assert isinstance(task, TaskCandidate)
    assert task.task["tags"] == tags


def test_attempts_of_the_solver_count_towards_the_budget(tmp_path: Path) -> None:
    replies = ReplyCache(tmp_path / "replies.jsonl", most_cost_usd=0.03)
    solver = Solver("speaker", LlmAgent(Speaker(*["I do not know."] * 3)))
    with pytest.raises(BudgetError, match=r"\$0\.0300 of \$0\.03 are spent"):
        prove(tmp_path, GOOD, OTHER, solver=solver, replies=replies, concurrency=1)
    assert replies.usage.cost_usd == pytest.approx(0.03)


def test_no_tool_is_called_that_may_change_something_and_was_not_allowed(tmp_path: Path) -> None:
    log = tmp_path / "calls.log"
    tempting = a_candidate("Can I still cancel every order, B20 too?").model_copy(update={"id": "t2"})
    prove(tmp_path / "work", GOOD, tempting, server=SHOP.model_copy(update={"settings": {"log": str(log)}}))
    assert set(log.read_text().split()) == {"get_order", "list_orders", "show_order"}


@pytest.mark.parametrize(
    ("request_text", "value", "reason"),
    [
        ("Ask the search tool for tea.", "tea", "the request names a tool or a parameter"),
        ("Search for tea, please.", "tea", None),
        ("Write get_order on the label.", "get_order", None),
    ],
)
def test_a_word_that_is_a_tools_name_may_be_said_unless_it_names_the_tool(
    request_text: str, value: str, reason: str | None
) -> None:
    tools = [ToolDefinition({"name": name}) for name in ("search", "get_order")]
    fault = wording_fault(a_task((expected_call("search", {"text": value}),), ask=request_text), tools)
    assert (fault and fault.reason) == reason


def test_a_task_that_matching_words_passes_is_tagged_and_chosen_last(tmp_path: Path) -> None:
    easy = a_candidate("Get the order B20, please.")
    hard = OTHER.model_copy(
        update={"task": {**OTHER.task, "ask": "Somebody waits for the lamp, A17. Where has it got to?"}}
    )
    both = prove(tmp_path / "both", easy, hard)
    assert [each.task.get("tags") for each in both.candidates if isinstance(each, TaskCandidate)] == [
        {"lexical": "passes"},
        None,
    ]
    one = prove(tmp_path / "one", easy, hard, tasks=1)
    assert [each.id for each in one.candidates] == ["t2"]


def test_the_tools_take_turns_and_what_lexical_passes_waits() -> None:
    def candidate(name: str, tool: str, **tags: str) -> TaskCandidate:
        task = {"id": name, "ask": name, "calls": [[{"id": "1", "tool": tool}]], "tags": {"calls": "1", **tags}}
        return TaskCandidate(id=name, task=task)

    edits = [candidate(f"edit-{number}", "edit") for number in range(4)]
    others = [candidate("find-1", "find"), candidate("add-1", "add", lexical="passes")]
    chosen = [choose([*edits, *others], number) for number in (2, 4)]
    assert [each.id for each in chosen[0].kept] == ["edit-0", "find-1"]
    assert [each.id for each in chosen[1].kept] == ["edit-0", "edit-1", "edit-2", "find-1"]
    assert "add-1" in [each.id for each in choose([*edits, *others], 5).kept]
