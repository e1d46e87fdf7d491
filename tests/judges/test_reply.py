import pytest

from pytest_mcpbench.core.judgement import Question
from pytest_mcpbench.judges.llm import parse_reply

CLAIM = Question(kind="claim", statement="It is red.", evidence="A red thing.")

READABLE = [
    ('{"reason": "r", "label": "fulfilled"}', "fulfilled", "r"),
    ('```json\n{"label": "not_fulfilled", "reason": "r"}\n```', "not_fulfilled", "r"),
    ('I think {so}: {"label": "Partially Fulfilled", "reason": "r"} done', "partially_fulfilled", "r"),
    ('{"label": "fulfilled"}', "fulfilled", ""),
    ('{"label": "fulfilled", "reason": "cut', "fulfilled", None),
    ('<think>Say {"label": "fulfilled"}?</think>{"label": "not_fulfilled", "reason": "r"}', "not_fulfilled", "r"),
    ('{"label": "fulfilled", "reason": "r"}\n{"label": "fulfilled", "reason": "again"}', "fulfilled", "r"),
    ('{"label": "fulfilled", "reason": "r", "other": {"label": "not_fulfilled"}}', "fulfilled", "r"),
    ('{"verdict": {"label": "fulfilled", "reason": "r"}}', "fulfilled", "r"),
    ("Label: not fulfilled", "not_fulfilled", "Label: not fulfilled"),
    ("It is fulfilled in part.\n**Verdict:** partially_fulfilled", "partially_fulfilled", None),
    ("The claim is partially-fulfilled here.", "partially_fulfilled", None),
    ("The claim is not_fulfilled.", "not_fulfilled", None),
]
UNREADABLE = [
    "",
    "Yes.",
    "fulfilled or not_fulfilled",
    '{"label": "fulfilled"} No, I was wrong: {"label": "not_fulfilled"}',
    '[{"label": "not_fulfilled"}, {"label": "fulfilled"}]',
    '{"label": "maybe"}',
    '{"label": 1}',
    "unfulfilled",
]


@pytest.mark.parametrize(("text", "label", "reason"), READABLE, ids=[text[:30] for text, *_ in READABLE])
def test_a_reply_is_read_as_json_or_as_text(text: str, label: str, reason: str | None) -> None:
    parsed = parse_reply(text, CLAIM)
    assert parsed is not None
    assert parsed == (label, " ".join(text.split()) if reason is None else reason)


@pytest.mark.parametrize("text", UNREADABLE)
def test_a_reply_without_one_label_is_not_read(text: str) -> None:
    assert parse_reply(text, CLAIM) is None
