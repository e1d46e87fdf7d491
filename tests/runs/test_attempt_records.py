"""Records of attempts, made from their evidence."""

from pytest_mcpbench.core.planning import AttemptDescription
from pytest_mcpbench.core.record import ErrorFacts
from pytest_mcpbench.runs.attempt_records import make_record
from tests.builders import a_task, evidence_of, expected_call

TASK = a_task((expected_call("read"),))
SILENT = evidence_of(answer="")


def test_an_error_of_a_provider_is_no_behaviour_of_the_model() -> None:
    description = AttemptDescription(suite="s", task_id=TASK.id, task_hash=TASK.hash, model="m")
    error = ErrorFacts(kind="model", message="answered 500")

    failed = make_record(description, TASK, SILENT, outcome="failed")
    broken = make_record(description, TASK, SILENT, outcome="error", error=error)

    assert failed.failures["rules"] == ("no_tool_called", "no_answer")
    assert broken.failures == {}
