"""Whether an answer makes a claim, by the claim's key facts."""

import re
from dataclasses import dataclass
from typing import Literal

from pytest_mcpbench.runtime.judges.keyfacts.facts import Fact, key_facts, read
from pytest_mcpbench.runtime.judges.keyfacts.text import content_words, plain, sentences

Label = Literal["fulfilled", "partially_fulfilled", "not_fulfilled"]

FULFILLED_OVERLAP = 0.8
PARTIAL_OVERLAP = 0.5
"""Shares of a claim's content words that an answer must have where the claim has too few key facts."""

_NEGATION = re.compile(r"\b(not|no|never|none|neither|nor|without|cannot|false)\b|n't\b|不|没有", re.IGNORECASE)


@dataclass(frozen=True)
class Decision:
    """A label with the facts that led to it."""

    label: Label
    reason: str


def decide(claim: str, answer: str) -> Decision:
    """All key facts of the claim are in the answer: fulfilled; at least half: partially; else not.

    A claim with values (numbers, dates, quotations, identifiers) of which the answer has none is not fulfilled,
    whatever names they share. A claim with no value and fewer than two names is decided by its content words. Where
    the claim is negated and the answer's nearest sentence is not, or the other way round, fulfilled becomes partially.
    """
    facts = key_facts(claim)
    if not any(fact.is_decisive for fact in facts) and len(facts) < 2:
        return _by_words(claim, answer)
    stated = read(answer)
    found = [fact for fact in facts if fact.is_stated_in(stated)]
    label = _label(facts, found)
    reason = _reason(facts, found)
    if label == "fulfilled" and _negation_differs(claim, answer):
        return Decision("partially_fulfilled", f"{reason}; one of claim and answer is negated, the other is not")
    return Decision(label, reason)


def _label(facts: tuple[Fact, ...], found: list[Fact]) -> Label:
    if len(found) == len(facts):
        return "fulfilled"
    decisive = [fact for fact in facts if fact.is_decisive]
    if decisive and not any(fact in found for fact in decisive):
        return "not_fulfilled"
    return "partially_fulfilled" if 2 * len(found) >= len(facts) else "not_fulfilled"


def _reason(facts: tuple[Fact, ...], found: list[Fact]) -> str:
    missing = [fact for fact in facts if fact not in found]
    said = f"{len(found)} of {len(facts)} key facts found"
    return f"{said}; missing: {', '.join(f'{fact.kind} {fact.text!r}' for fact in missing)}" if missing else said


def _by_words(claim: str, answer: str) -> Decision:
    wanted = content_words(plain(claim))
    if not wanted:
        return Decision("not_fulfilled", "the claim has no key facts and no content words")
    share = len(wanted & content_words(plain(answer))) / len(wanted)
    reason = f"too few key facts: {share:.0%} of the content words found"
    if share >= FULFILLED_OVERLAP:
        if _negation_differs(claim, answer):
            return Decision("partially_fulfilled", f"{reason}; one of claim and answer is negated, the other is not")
        return Decision("fulfilled", reason)
    return Decision("partially_fulfilled" if share >= PARTIAL_OVERLAP else "not_fulfilled", reason)


def _negation_differs(claim: str, answer: str) -> bool:
    """Whether the claim and the sentence of the answer that shares most words with it differ in being negated."""
    wanted = content_words(plain(claim))
    nearest = max(sentences(plain(answer)), key=lambda part: _likeness(wanted, part), default="")
    return bool(_NEGATION.search(plain(claim))) != bool(_NEGATION.search(nearest))


def _likeness(wanted: set[str], sentence: str) -> float:
    having = content_words(sentence)
    return len(wanted & having) / (len(wanted | having) or 1)
