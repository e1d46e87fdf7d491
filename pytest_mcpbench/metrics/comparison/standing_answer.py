"""The answer that stands at the end of an attempt: in ``<answer>`` tags, the only one, and not taken back."""

import re
from dataclasses import dataclass

_TAGGED = re.compile(r"<answer>((?:(?!<answer>).)*?)</answer>", re.IGNORECASE | re.DOTALL)

_WORDS_OF_DOUBT = (
    r"no|not|never|none|neither|nor|\w+n['’]t|cannot",
    r"wrong(?:ly)?|incorrect(?:ly)?|false|untrue|invalid|mistakes?|mistaken|errors?|erroneous|oops|sorry|corrections?",
    r"unsure|uncertain|unknown|doubt(?:s|ful)?|maybe|perhaps|possibly|might|guess(?:ed|ing)?",
    r"ignore|disregard|instead|rather|retract(?:ed)?|withdraw(?:n|s)?|kidding|joke|joking|scratch that|changed my mind",
    r"a lie|lied|nonsense|invented|made (?:it |this |that )?up|misread|on second thoughts?|the opposite",
    r"placeholder|pinch of salt|grain of salt|anything but|everything but",
    r"nicht|kein(?:e|er|en)?|falsch|nein|vielleicht|irrtum|faux|incorrecte?|pas|peut-être|erreur",
    r"incorrecto|falso|quizás|tal vez|нет|не|неверно|ошибка|возможно",
)
_DOUBT = re.compile(rf"\b(?:{'|'.join(_WORDS_OF_DOUBT)})\b|[不没错误非]|也许|可能|抱歉", re.IGNORECASE)
"""Words that take an answer back or put it in doubt, in the languages of the shipped suites."""
_BEHIND = re.compile(
    r"^\W*(?:or|and|to)\b\W*(?:[-+]?\d|<answer>|maybe)"
    r"|^\W*(?:probably|presumably|likely|supposedly|hypothetically|i (?:think|assume|suppose|believe))\b"
    r"|(?:^\s*+|[.!?(]\s*+|\n[^\S\n]*+)(?:actually|in fact|wait|i mean|alternatively)\b"
    r"|\b(?:could|should|would|may) (?:also )?be\W+[-+]?\d",
    re.IGNORECASE,
)
"""Words behind an answer that put another one in its place."""
_IN_FRONT = re.compile(
    r"\b(?:not|never|isn['’]t|neither|(?:any|every)thing but)\W*$"
    r"|\bwhether\b[^.!?,;:\n]{0,25}$"
    r"|\b(?:doubt|guess|unsure|not sure|perhaps|maybe|probably|possibly)\b[^.!?\n]{0,40}$"
    r"|\b(?:(?:to be |un|not yet )(?:verified|confirmed|checked))\b[^.!?\n]{0,40}$"
    r"|\b(?:example|format|placeholder|template|e\.g\.|for instance)\b[^.!?\n]{0,40}$"
    r"|\b(?:wrong|incorrect|false|untrue|invented|nonsense|a lie|none of)\b[^.!?,;\n]{0,25}$"
    r"|\bmade (?:(?:it|this|that) )?up\b[^.!?,;\n]{0,25}$"
    r"|\b(?:(?:do|does|is|was|would|should|can)(?: not|n['’]t)|cannot|never)\b[^.!?,;:\n]{0,15}$"
    r"|\b(?:suppose|imagine|pretend|(?:as )?if it (?:was|were))\b[^.!?,;\n]{0,25}$",
    re.IGNORECASE,
)
"""Words in front of an answer, in its own sentence, that negate it, put it in doubt or quote the form of answers."""
_STRUCK_OUT = re.compile(r"<!--.*?-->|~~.*?~~", re.DOTALL)
_CORRECTION = re.compile(
    r"\b(?:no|not|wrong|incorrect|correction|corrected|actually|rather|instead|final(?:ly)?|better)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class StandingAnswer:
    """The text of the answer, or the reason why no answer stands."""

    text: str | None
    problem: str | None = None


def standing_answer(text: str) -> StandingAnswer:
    """Return the answer in the last ``<answer>…</answer>`` of everything that the agent wrote.

    No answer stands if there is none in tags, if what follows the tags takes it back or puts it in doubt, if it is
    negated or doubted in front of the tags, or if several different answers are offered without one correcting the
    other.
    """
    text = _STRUCK_OUT.sub("", text)
    tags = list(_TAGGED.finditer(text))
    if not tags:
        return StandingAnswer(None, "no answer in <answer>…</answer>")
    last = tags[-1]
    behind = text[last.end() :]
    if found := _DOUBT.search(behind) or _BEHIND.search(behind):
        return StandingAnswer(None, f"the answer is taken back or doubted behind it ({found[0]!r})")
    if words := words_against(text[: last.start()]):
        return StandingAnswer(None, f"the answer is negated or doubted in front of it ({words!r})")
    if len(tags) > 1:
        other = tags[-2]
        between = text[other.end() : last.start()]
        is_same = other[1].strip().casefold() == last[1].strip().casefold()
        # Two answers side by side in one paragraph.
        if not is_same and "\n\n" not in between and len(between) < 200 and not _CORRECTION.search(between):
            return StandingAnswer(None, "several different answers are offered")
    return StandingAnswer(last[1].strip())


def words_against(text: str) -> str | None:
    """Return the words at the end of a text that negate what follows it, or put it in doubt; ``None`` without any."""
    found = _IN_FRONT.search(text)
    return found[0].strip() if found else None


def expresses_doubt(text: str) -> bool:
    """Return whether a text holds a word that takes a statement back or puts it in doubt."""
    return _DOUBT.search(text) is not None
