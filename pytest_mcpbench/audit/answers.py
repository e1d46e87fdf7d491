"""Wrong final answers: empty, refused, withdrawn, hedged, ambiguous, or with other numbers and names."""

import re
from collections.abc import Callable, Iterator

from pytest_mcpbench.audit import texts
from pytest_mcpbench.audit.subject import Subject

KINDS = (
    "empty",
    "refused",
    "withdrawn",
    "withdrawn_in_tags",
    "hedged",
    "one_of_two",
    "hypothetical",
    "unverified",
    "among_options",
    "negated",
    "other_numbers",
    "names_exchanged",
)
"""The kinds of wrong answer."""

_TAG = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def applies(subject: Subject) -> bool:
    """Return whether the task is about its answer: it expects one, or claims, or nothing but things to find out."""
    expected = subject.task.expected
    only_searches = bool(expected.exec) and all(checkpoint.value is not None for checkpoint in expected.exec)
    return bool(subject.script.answer) and (expected.answer is not None or bool(expected.claims) or only_searches)


def wrong_answers(answer: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each wrong version of a right answer."""
    for kind in KINDS:
        wrong = _VERSIONS[kind](answer)
        if wrong is not None and wrong != answer:
            yield kind, wrong


_REFUSAL = "I am sorry, but I cannot help with that."


def _hedge(answer: str) -> str:
    if _TAG.search(answer):
        return _inside_tags(answer, lambda text: f"perhaps {text}, I am not sure")
    return "\n".join(f"Perhaps, but I am not sure: {line}" for line in answer.splitlines())


def _one_of_two(answer: str) -> str | None:
    """Offer two values; without tags, beside each number."""
    if _TAG.search(answer):
        return _inside_tags(answer, lambda text: f"{text} or {texts.with_other_numbers(text) or 'something else'}")
    changed = _NUMBER.sub(lambda number: f"{number[0]} or {texts.with_other_numbers(number[0])}", answer)
    return changed if changed != answer else None


def _negate(answer: str) -> str | None:
    if _TAG.search(answer):
        return _inside_tags(answer, lambda text: f"not {text}")
    return "\n".join(texts.negate(line) for line in answer.splitlines())


def _exchange_names(answer: str) -> str | None:
    changed = [texts.with_names_exchanged(line) for line in answer.splitlines()]
    if not any(changed):
        return None
    return "\n".join(new or line for new, line in zip(changed, answer.splitlines(), strict=True))


def _inside_tags(answer: str, change: Callable[[str], str]) -> str:
    return _TAG.sub(lambda tag: f"<answer>{change(tag[1])}</answer>", answer)


_VERSIONS: dict[str, Callable[[str], str | None]] = {
    "empty": lambda _answer: "",
    "refused": lambda _answer: _REFUSAL,
    "withdrawn": "{}\nNo, that is wrong; I do not know.".format,
    "withdrawn_in_tags": lambda answer: (
        f"{answer}\nNo, that is wrong: <answer>I do not know</answer>" if _TAG.search(answer) else None
    ),
    "hedged": _hedge,
    "one_of_two": _one_of_two,
    "hypothetical": "In a hypothetical example one could write: {}".format,
    "unverified": "Still to be verified: {}".format,
    "among_options": "Option A: {}\nOption B: something else. I cannot tell which of the two is right.".format,
    "negated": _negate,
    "other_numbers": texts.with_other_numbers,
    "names_exchanged": _exchange_names,
}
