import pytest

from pytest_mcpbench.attempt.refusal import refusal
from pytest_mcpbench.core.tool import Call, CallProblem, CallRecord, ToolResult

EXPOSED = ("read_mail", "send_mail")

REFUSED: dict[str, tuple[str, str | None, CallProblem, str]] = {
    "not JSON": (
        "send_mail",
        '{"to": ',
        "malformed_arguments",
        "The arguments of the call of 'send_mail' are not a JSON object: Expecting value: line 1 column 8 (char 7). "
        "The call was not made.",
    ),
    "JSON but no object": (
        "send_mail",
        "[1]",
        "malformed_arguments",
        "The arguments of the call of 'send_mail' are not a JSON object: they are of type list. The call was not made.",
    ),
    "infinite": (
        "send_mail",
        '{"n": 1e999}',
        "malformed_arguments",
        "The arguments of the call of 'send_mail' are not a JSON object: a number in them is not finite. "
        "The call was not made.",
    ),
    "unknown with a near name": (
        "sendmail",
        None,
        "unknown_tool",
        "There is no tool 'sendmail'. Did you mean 'send_mail' or 'read_mail'?",
    ),
    "unknown": ("xyz", None, "unknown_tool", "There is no tool 'xyz'."),
    "unknown and malformed": ("xyz", "[", "unknown_tool", "There is no tool 'xyz'."),
    "not exposed": ("delete_mail", None, "not_exposed", "The tool 'delete_mail' may not be used here."),
}


@pytest.mark.parametrize(("name", "raw", "problem", "text"), REFUSED.values(), ids=REFUSED.keys())
def test_a_call_that_cannot_be_made_is_explained_to_the_model(
    name: str, raw: str | None, problem: CallProblem, text: str
) -> None:
    call = Call(id="7", name=name, raw_arguments=raw)
    expected = CallRecord(
        id="7", name=name, raw_arguments=raw, problem=problem, result=ToolResult.failure(text, "protocol")
    )
    assert refusal(call, EXPOSED, existing=(*EXPOSED, "delete_mail")) == expected


def test_a_call_that_can_be_made_is_not_refused() -> None:
    assert refusal(Call(id="1", name="read_mail", arguments={"id": 3}), EXPOSED) is None
