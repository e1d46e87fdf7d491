from typing import Any

import pytest

from pytest_mcpbench.core.fidelity.comparison import Confusion, Pair, canonical_json, fidelity, is_success
from pytest_mcpbench.core.tool import Content, ToolResult

DONE = ToolResult.of_text('{"b": 1, "a": "grüße"}')
REFUSED = ToolResult.failure("Not found: x", "tool")


def a_pair(real: ToolResult = DONE, simulated: ToolResult | None = DONE, **fields: Any) -> Pair:
    said = {"real_success": is_success(real), "simulated_success": simulated is not None and is_success(simulated)}
    values = {"trace": "t, call 1", "tool": "do", "arguments": {}, "real": real, "simulated": simulated}
    return Pair(**{**values, **said, **fields})


@pytest.mark.parametrize(
    ("pair", "cell"),
    [
        (a_pair(DONE, DONE), "tp"),
        (a_pair(REFUSED, REFUSED), "tn"),
        (a_pair(REFUSED, DONE), "fp"),
        (a_pair(DONE, REFUSED), "fn"),
        (a_pair(DONE, None), None),
        (a_pair(DONE, DONE, real_success=False), "fp"),
    ],
)
def test_real_success_is_the_positive_class(pair: Pair, cell: str | None) -> None:
    assert pair.cell == cell


def test_the_numbers_are_those_of_the_papers_table() -> None:
    """Table 4 of MCP-Persona; its F1 of 93.8 is 93.88 by its own matrix."""
    vanilla, traversal = Confusion(tp=12, tn=17, fp=8, fn=13), Confusion(tp=23, tn=24, fp=1, fn=2)
    shares = [(one.accuracy, one.precision, one.recall, one.f1) for one in (vanilla, traversal)]
    rounded = [tuple(round(100 * (value or 0), 1) for value in each) for each in shares]
    assert rounded == [(58.0, 60.0, 48.0, 53.3), (94.0, 95.8, 92.0, 93.9)]


def test_a_share_of_nothing_is_none() -> None:
    refusals = Confusion(tn=3)
    assert (refusals.accuracy, refusals.precision, refusals.recall, refusals.f1) == (1.0, None, None, None)
    assert Confusion().accuracy is None


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        pytest.param(DONE, True, id="an answer"),
        pytest.param(REFUSED, False, id="isError"),
        pytest.param(ToolResult.of_text('{"error": "no such user"}'), False, id="an error inside"),
        pytest.param(ToolResult.of_text('{"success": false}'), False, id="success false"),
        pytest.param(ToolResult.of_text(""), True, id="an empty answer is no refusal"),
    ],
)
def test_success_is_read_in_the_result(result: ToolResult, expected: bool) -> None:
    assert is_success(result) is expected


def test_responses_are_the_same_whatever_the_order_of_their_keys() -> None:
    assert canonical_json(DONE) == canonical_json(ToolResult.of_text('{"a":"grüße","b":1}')) == '{"a": "grüße", "b": 1}'


def test_what_a_mask_fits_is_not_compared() -> None:
    early, late = ToolResult.of_text("created: 09:00, size 3"), ToolResult.of_text("created: 17:30, size 3")
    masks = [r"created: [\d:]+"]
    assert canonical_json(early, masks) == canonical_json(late, masks) == '"…, size 3"'


def test_blocks_that_are_no_text_are_compared_with_their_data() -> None:
    image = ToolResult(content=(Content(type="image", data="AAAA", mime_type="image/png"),))
    assert canonical_json(image) == '[{"data": "AAAA", "mime_type": "image/png", "type": "image"}]'


def test_a_call_that_the_simulation_never_answered_is_in_no_number() -> None:
    pairs = [a_pair(), a_pair(REFUSED, DONE, tool="get"), a_pair(simulated=None, error="it died")]
    made = fidelity("notes", pairs, traces=2)
    assert made.confusion == Confusion(tp=1, fp=1)
    assert made.by_tool == {"do": Confusion(tp=1), "get": Confusion(fp=1)}
    assert made.identical == {"do": 1, "get": 0}
    assert [pair.error for pair in made.errors] == ["it died"]
    assert made.similarity is None or made.similarity.pairs == 2
