import pytest

from pytest_mcpbench.core.evidence import RECORDED_VERSION, REPLAYED, ServerFacts
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.tool import CallRecord, Content, ToolResult
from pytest_mcpbench.metrics.tool_success import ToolSuccess
from tests.builders import a_call, a_task, evidence_of

IMAGE = ToolResult(content=(Content(type="image", data="aGk=", mime_type="image/png"),))
CASES = [
    pytest.param(a_call("t"), None, id="text"),
    pytest.param(a_call("t", result=IMAGE), None, id="image"),
    pytest.param(a_call("t", result=ToolResult(structured={"rows": 1})), None, id="structured"),
    pytest.param(a_call("t", result='{"error": null, "status": 200}'), None, id="an error of null"),
    pytest.param(a_call("t", result=" \n"), "empty_result", id="blank"),
    pytest.param(a_call("t", result=ToolResult()), "empty_result", id="nothing"),
    pytest.param(a_call("t", result='{"success": false, "data": 1}'), "other", id="success false"),
    pytest.param(a_call("t", result='{"error": "city not found"}'), "resource_not_found", id="error inside"),
    pytest.param(a_call("t", result='{"status": 404}'), "resource_not_found", id="status inside"),
    pytest.param(a_call("t", result=ToolResult.failure("x", "timeout")), "timeout", id="timeout"),
    pytest.param(
        a_call("t", result=ToolResult.failure("field required", "protocol")), "parameter_error:missing", id="JSON-RPC"
    ),
]


@pytest.mark.parametrize(("call", "cause"), CASES)
def test_a_call_succeeds_when_something_good_came_back(call: CallRecord, cause: str | None) -> None:
    score = ToolSuccess()(a_task(), evidence_of((call,)))

    assert score.value == (cause is None)
    assert score.counts["empty"] == (cause == "empty_result")
    assert cause is None or score.reasons == (f"call 1, t(): {cause}",)


def test_rates_by_tool_and_server_can_be_pooled_from_the_counts() -> None:
    failed = a_call("read", result=ToolResult.failure("Error: 1", "tool"), server="files")
    evidence = evidence_of((a_call("read", server="files"), failed), (a_call("search", server="web"),))
    score = ToolSuccess()(a_task(), evidence)

    assert score.value == pytest.approx(2 / 3)
    assert score.counts == {
        "part": 2,
        "whole": 3,
        "empty": 0,
        "calls:files/read": 2,
        "calls:web/search": 1,
        "successes:files/read": 1,
        "successes:web/search": 1,
    }


def test_an_empty_result_may_count_as_success() -> None:
    evidence = evidence_of((a_call("t", result=""),))

    assert ToolSuccess(empty_is_failure=False)(a_task(), evidence).value == 1


def test_failures_of_our_own_and_calls_never_sent_do_not_count() -> None:
    ours = a_call("t", result=ToolResult.failure("the pipe broke", "transport"))
    unsent = a_call("t").model_copy(update={"result": None})

    assert ToolSuccess()(a_task(), evidence_of((ours, unsent))) == Score.not_applicable("no tool call reached a server")
    assert ToolSuccess()(a_task(), evidence_of((ours, a_call("t")))).value == 1
    assert ToolSuccess()(a_task(), evidence_of()) == Score.not_applicable("no tool was called")


def test_calls_to_servers_that_replay_a_recording_do_not_count() -> None:
    replayed, real = ServerFacts(name="maps", version=RECORDED_VERSION), ServerFacts(name="web", version="1.2")
    recorded_call, failed = a_call("find", server="maps"), a_call("read", server="web", result=ToolResult())

    alone = ToolSuccess()(a_task(), evidence_of((recorded_call,), servers=(replayed,)))
    mixed = ToolSuccess()(a_task(), evidence_of((recorded_call, failed), servers=(replayed, real)))

    assert alone == Score.not_applicable(REPLAYED, "replayed")
    assert (mixed.value, mixed.counts["whole"]) == (0, 1)
