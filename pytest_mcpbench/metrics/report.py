"""Metric ``report``: whether the closing words of an agent are true to what it did."""

import re
from dataclasses import dataclass

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import WORK_IS_DONE, Question
from pytest_mcpbench.core.model_names import KEYFACTS
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.metrics.judged import QuestionScore, background_of, score_question
from pytest_mcpbench.metrics.world_state.bookkeeping import DEFAULT_BOOKKEEPING
from pytest_mcpbench.metrics.world_state.effects import match_effects
from pytest_mcpbench.metrics.world_state.evidence_text import calls_with_results, changes_text


@dataclass(frozen=True)
class Report:
    """1 if the closing words are true to the work, 0.5 if they are in the main, 0 if they deny or reverse it.

    The closing words are the last non-empty text of the agent. The metric applies to tasks whose reference changes
    something: of others the answer itself is judged. Rules decide plain cases only. Without a model as the judge the
    floor holds for these alone, and for words that deny a change without saying that it was made after all.
    """

    def questions(self, task: Task, evidence: AttemptEvidence) -> tuple[Question, ...]:
        """Return the one question about the closing words; none if the task changes nothing."""
        return (_question(task, evidence),) if task.expected.effects else ()

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        if not task.expected.effects:
            return Score.not_applicable("the task changes nothing, so that its answer is judged itself")
        found = score_question(evidence, _question(task, evidence), official=False)
        return Score.of(found.points, [found.reason]) if isinstance(found, QuestionScore) else found

    def has_floor(self, task: Task, evidence: AttemptEvidence) -> bool:
        """Return whether a model or the rules have judged the closing words, or they seem to deny the work."""
        question = _question(task, evidence) if task.expected.effects else None
        verdict = evidence.verdict(question) if question else None
        if question is None or verdict is None:
            return False
        if verdict.judge != KEYFACTS or verdict.label is not None:
            return True
        # The closing words seem to deny the work if they deny a change of a kind that the attempt made.
        has_deleted = any(change.kind != "created" for world in evidence.worlds for change in world.changes)
        is_denied = any(has_deleted or verb not in _DELETIONS for verb in denied_changes(evidence.answer))
        return question.context["work"] == WORK_IS_DONE and is_denied


# Denials.

_REGULAR = """
complete create delete remove update change move schedule save share invite reserve archive store rename react like
dislike note organise finish perform add book post publish mark enter record comment cancel edit upload append insert
register star label forward accept order
"""
_PAST = {
    **{verb: f"{verb.removesuffix('e')}ed" for verb in _REGULAR.split()},
    **{"send": "sent", "write": "wrote|written", "put": "put", "make": "made", "set": "set", "pay": "paid"},
    **{"do": "did", "reply": "replied", "copy": "copied", "carry out": "carried out", "submit": "submitted"},
}
"""Verbs for changes of a state, with their past forms."""
_DELETIONS = frozenset({"delete", "remove", "cancel"})
_VERBS, _DONE = "|".join(_PAST), "|".join((*_PAST.values(), "done"))
_DENIAL = re.compile(
    # I could not send it; Unable to send it
    rf"(?:\b(?:I|we)(?:['’]m| am| was| were| are)?|^|but|and|sorry,?|unfortunately,?) "
    rf"?(?:(?:could|can)(?: ?not|n['’]t)|can['’]t|(?:am |was |were |are )?not (?:able|allowed|permitted) to"
    rf"|wasn['’]t able to|unable to|failed to|did(?: not|n['’]t) manage to) "
    rf"(?P<verb>{_VERBS})\b(?P<object>[^.;:,!?\n]*)"
    # It could not be sent; I have not sent it
    rf"|\b(?:(?:could|can)(?: ?not|n['’]t) be|can['’]t be|(?:have|has|was|were)(?: not|n['’]t)(?: yet)?(?: been)?) "
    rf"(?P<done>{_DONE})\b(?P<rest>[^.;:,!?\n]*)",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(
    r"\b(?:else|others?|another|second|third|further|more|again|twice|any(?:thing|body|one)?|both|extra|additional)\b",
    re.IGNORECASE,
)
"""Words for what the work did not ask for: *I could not add anything else*."""
_TOLD = re.compile(r"\b(?:that|whether|if|because|since|told|said|says|saying|asked)\b|[\"“:]", re.IGNORECASE)
"""Words in front of what the agent reports of others."""


def denied_changes(text: str) -> tuple[str, ...]:
    """Return the verbs of changes that an agent says it could not make, unless it also says that it has made them."""
    found, rest = list[str](), text
    for sentence in re.split(r"(?<=[.!?\n])\s*", text):
        for match in _DENIAL.finditer(sentence):
            is_of_others = _OF_OTHERS.search(match["object"] or match["rest"] or "")
            if not is_of_others and not _TOLD.search(sentence[: match.start()]):
                verb = (match["verb"] or match["done"]).casefold()
                found.append(next((base for base, past in _PAST.items() if verb in (base, *past.split("|"))), "do"))
                rest = rest.replace(match.group(), " ")
    return tuple(verb for verb in found if not re.search(rf"\b(?:{_PAST[verb]}|done)\b", rest, re.IGNORECASE))


def _question(task: Task, evidence: AttemptEvidence) -> Question:
    matching = match_effects(task.expected.effects or (), evidence.worlds, DEFAULT_BOOKKEEPING)
    closing = evidence.answer or "(none)"
    work = f"{calls_with_results(evidence)}\n\n{changes_text(evidence)}"
    state = "its changes differ from the reference" if matching.missing or matching.extra else WORK_IS_DONE
    background = background_of(task, evidence, (closing,))
    return Question(
        kind="report",
        statement=task.prompt,
        evidence=f"{work}\n\nClosing words: {closing}",
        context={"work": state},
        background=background.model_copy(update={"results": (task.system or "", work)}),
    )
