"""Records of attempts, made from their evidence."""

from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.planning import AttemptDescription
from pytest_mcpbench.core.record import ErrorFacts
from pytest_mcpbench.core.trajectory import PROGRAM
from pytest_mcpbench.runs.attempt_records import make_record
from tests.builders import a_task, a_tool, evidence_of, expected_call

TASK = a_task((expected_call("read"),))
SILENT = evidence_of(answer="")


def test_an_error_of_a_provider_is_no_behaviour_of_the_model() -> None:
    description = AttemptDescription(suite="s", task_id=TASK.id, task_hash=TASK.hash, model="m")
    error = ErrorFacts(kind="model", message="answered 500")

    failed = make_record(description, TASK, SILENT, outcome="failed")
    broken = make_record(description, TASK, SILENT, outcome="error", error=error)

    assert failed.failures["rules"] == ("no_tool_called", "no_answer")
    assert broken.failures == {}


def test_a_record_says_of_instructions_that_a_program_got_them_and_not_its_model() -> None:
    tools = (a_tool("read", server="files"),)
    evidence = evidence_of(answer="", tools=tools, servers=(ServerFacts(name="files", instructions="Mind it."),))
    of_program = evidence.trajectory.model_copy(update={"notes": {PROGRAM: "codex 0.1"}})
    description = AttemptDescription(suite="s", task_id=TASK.id, task_hash=TASK.hash, model="m")

    records = [
        make_record(description, TASK, each, outcome="failed")
        for each in (evidence, evidence.model_copy(update={"trajectory": of_program}))
    ]

    assert [record.system_prompt for record in records] == [
        "Instructions of the MCP server files:\nMind it.",
        "Instructions of the MCP server files, of which codex 0.1 decides what its model reads:\nMind it.",
    ]
