"""Templates of requests: values are drawn in order and fill the slots of the requests."""

from random import Random
from typing import Any

import pytest

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.generation.radar.templates import WrittenTemplate, drawing_functions, drawn_requests

NAMES = ["Ada", "Bo", "Cy"]
WORDS = {"names": NAMES, "colours": {"red": "#f00"}}


def _drawn(**template: Any) -> list[tuple[str, Any, Any]]:
    draw = Random(1)
    written = WrittenTemplate.model_validate(template)
    requests = drawn_requests(written, {**WORDS, **drawing_functions(draw)}, draw)
    return [(each.prompt, dict(each.calls[0].arguments), each.required_facts) for each in requests]


def test_drawn_values_fill_the_slots_and_keep_their_type() -> None:
    (request,) = _drawn(
        draw={"a, b": "{{ sample(names, 2) }}", "number": "{{ randint(7, 7) }}", "key": "{{ choice(colours) }}"},
        requests=[
            {
                "ask": "{{ key }} for {{ a }}.",
                "calls": [{"paint": {"{{ key }}": ["{{ number }}"], "to": "{{ b }}!"}}],
                "says": ["{{ names }}", ["{{ a }}", "clock:14:00"]],
            }
        ],
    )
    drawn = Random(1).sample(NAMES, 2)
    prompt, arguments, facts = request
    assert (prompt, arguments) == (f"Red for {drawn[0]}.", {"red": [7], "to": f"{drawn[1]}!"})
    assert facts[0] == ("Ada", "Bo", "Cy")
    assert {drawn[0], "2 pm"} <= set(facts[1])


def test_requests_are_made_for_each_item_or_drawn_from_the_list() -> None:
    one = {"ask": "{{ it }}", "calls": [{"greet": {}}]}
    assert [prompt for prompt, *_ in _drawn(for_each="{{ names }}", requests=[one])] == NAMES
    several = [{"ask": str(number), "calls": [{"greet": {}}]} for number in range(9)]
    assert [prompt for prompt, *_ in _drawn(sample=4, requests=several)] == [*map(str, Random(1).sample(range(9), 4))]


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ({"draw": {"a": "{{ choice(nams) }}"}, "requests": []}, "the values cannot be drawn: .*'nams' is undefined"),
        ({"requests": [{"ask": "{{ nam }}", "calls": [{"greet": {}}]}]}, "'nam' is undefined"),
    ],
)
def test_an_unknown_name_is_told(template: Any, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        _drawn(**template)
