"""Decisions about a claim, a written text and a title. The rules stop at the first doubt."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pytest_mcpbench.judges.keyfacts.alignment import Difference, differences, is_same
from pytest_mcpbench.judges.keyfacts.known import NOTHING_KNOWN, Known
from pytest_mcpbench.judges.keyfacts.reading import Clause, Token, obstacle, plain, read
from pytest_mcpbench.judges.keyfacts.vocabulary import DOUBTFUL, EMPTY, OTHERS, PERSONS, TITLES, stem
from pytest_mcpbench.text.normal_forms import normal_form

Label = Literal["fulfilled", "not_fulfilled"]


@dataclass(frozen=True)
class TextDecision:
    """A label with its reason; without a label the rules cannot decide."""

    label: Label | None
    reason: str


# Claims: one statement in an answer that has others beside it.

_FURTHER_TOKENS = 12
"""Most words of a passage beyond those of the claim."""
_FURTHER_CLAUSES = 3


_POLITE_SENTENCE = re.compile(
    r"(?:please )?(?:let me know|feel free to ask) if you (?:need|want|have) (?:anything else|any (?:other |further )?"
    r"questions|(?:more|further) (?:help|details))|i hope (?:this|that|it) helps"
    r"|(?:here (?:is|are)|this is) (?:what i (?:have )?found(?: out)?|the (?:results?|answers?))"
    r"|i have (?:looked|checked) (?:this|it|that|everything)(?: up)?(?: for you)?",
    re.IGNORECASE,
)
"""A sentence of its own that says nothing about what stands before or behind it."""


@dataclass(frozen=True)
class _Passage:
    """A run of clauses, compared with a claim."""

    start: int
    end: int
    differences: tuple[Difference, ...]


def decide_claim(claim: str, answer: str, known: Known = NOTHING_KNOWN, siblings: Sequence[str] = ()) -> TextDecision:
    """Decide whether an answer makes a claim.

    ``fulfilled``: a passage has every value and word of it and no other, and the rest of the answer consists of the
    ``siblings`` (the other claims of the task) and of words and values that ``known`` has. ``not_fulfilled``: a passage
    differs from it in nothing but a replaced value or a denial, and no other passage has the value.
    """
    for name, text in (("claim", claim), ("answer", answer)):
        if problem := obstacle(text):
            return TextDecision(None, f"the {name} {problem}")
    wanted, clauses = _tokens(read(claim)), read(answer)
    if not wanted:
        return TextDecision(None, "the claim has no value and no word with content")
    known = Known(known.request, (*known.texts, claim, *siblings))
    passages = _passages(claim, answer, known)
    same = [passage for passage in passages if not passage.differences]
    contrary = [passage for passage in passages if _is_contrary(passage.differences)]
    if same:
        covered = {at for each in (claim, *siblings) for at in _covered(each, answer, known)}
        rest = [
            clause
            for at, clause in enumerate(clauses)
            if at not in covered and not _POLITE_SENTENCE.fullmatch(clause.text.strip(" .!:"))
        ]
        beside = frozenset(clauses[at].sentence for passage in same for at in range(passage.start, passage.end))
        doubt = _doubt(rest, wanted, known, beside)
        return (
            TextDecision(None, doubt)
            if doubt
            else TextDecision("fulfilled", "the answer states all of it, and nothing doubts it")
        )
    if contrary:
        return _contrary(wanted, clauses, contrary[0])
    if _says_nothing(answer, wanted):
        return TextDecision("not_fulfilled", "the answer only says that there is none")
    if _lacks_any_value(wanted, clauses, answer):
        return TextDecision("not_fulfilled", "the answer has no number at all")
    return TextDecision(None, _nearest(passages))


@lru_cache(maxsize=256)
def _passages(claim: str, answer: str, known: Known) -> tuple[_Passage, ...]:
    """Return the runs of clauses, within two sentences, that have at least half of the claim's tokens."""
    wanted, clauses = _tokens(read(claim)), read(answer)
    shared = [sum(any(is_same(one, token) for one in wanted) for token in clause.tokens) for clause in clauses]
    most = len(read(claim)) + _FURTHER_CLAUSES
    return tuple(
        _Passage(start, end, differences(wanted, _tokens(clauses[start:end]), known))
        for start in range(len(clauses))
        if shared[start]
        for end in range(start + 1, min(start + most, len(clauses)) + 1)
        if shared[end - 1] and clauses[end - 1].sentence <= clauses[start].sentence + 1
        if 2 * sum(shared[start:end]) >= len(wanted)
        if sum(len(clause.tokens) for clause in clauses[start:end]) <= len(wanted) + _FURTHER_TOKENS
    )


def _covered(claim: str, answer: str, known: Known) -> Iterator[int]:
    for passage in _passages(claim, answer, known):
        if not passage.differences:
            yield from range(passage.start, passage.end)


def _doubt(rest: Sequence[Clause], wanted: Sequence[Token], known: Known, beside: frozenset[int]) -> str:
    """Return the reason why clauses may change the meaning of a statement; empty if they cannot.

    ``beside`` has the sentences in which it is made.
    """
    words = [token for token in wanted if token.kind == "word"]
    for clause in rest:
        for token in clause.tokens:
            if not known.has(token):
                return f"beside it the answer has {token.text!r}: {clause.text[:80]!r}"
        shared = [word for word in words if any(is_same(word, token) for token in clause.tokens)]
        values = [token for token in clause.tokens if token.kind != "word" and not _is_among(token, wanted)]
        is_about_it = len(values) == len(clause.tokens) or 2 * len(shared) >= max(1, len(words))
        if values and (is_about_it or (shared and clause.sentence in beside)):
            return f"beside it the answer has another value: {clause.text[:80]!r}"
    return ""


def _contrary(wanted: Sequence[Token], clauses: Sequence[Clause], passage: _Passage) -> TextDecision:
    inside = _tokens(clauses[passage.start : passage.end])
    outside = _tokens([*clauses[: passage.start], *clauses[passage.end :]])
    values = [token for token in wanted if token.kind != "word" or token.is_name]
    if any(_is_among(value, outside) and not _is_among(value, inside) for value in values):
        return TextDecision(None, "a value of the claim stands elsewhere in the answer")
    sentences = {clause.sentence for clause in clauses[passage.start : passage.end]}
    beside = [clause for clause in clauses[: passage.start] + clauses[passage.end :] if clause.sentence in sentences]  # type: ignore[operator]
    if any(token.key == "not" or stem(token.text) in DOUBTFUL for clause in beside for token in clause.tokens):
        return TextDecision(None, "its sentence denies or doubts")
    return TextDecision("not_fulfilled", passage.differences[0].reason)


def _is_contrary(found: Sequence[Difference]) -> bool:
    """Return whether nothing but values are replaced, or there is one denial; two may cancel each other."""
    weights = {difference.weight for difference in found}
    return weights == {"replaced"} or (weights == {"denied"} and len(found) == 1)


def _says_nothing(answer: str, wanted: Sequence[Token]) -> bool:
    """Return whether an answer consists of words of refusals, or only of *done* and the like where there is a value.

    That something could not be found may be what a claim with a negation says.
    """
    words = re.findall(r"\w+", plain(answer).casefold())
    has_value = any(token.kind != "word" for token in wanted)
    is_denied = any(token.key == "not" for token in wanted)
    return ("i" in words or has_value) and not is_denied and EMPTY.issuperset(words)


def _is_among(token: Token, tokens: Sequence[Token]) -> bool:
    return any(is_same(token, other) for other in tokens)


def _lacks_any_value(wanted: Sequence[Token], clauses: Sequence[Clause], answer: str) -> bool:
    """Return whether a claim has a number of several digits, and an English answer none in digits or words."""
    has_value = any(token.kind == "number" and len(re.sub(r"\D", "", token.text)) >= 3 for token in wanted)
    has_none = all(token.kind not in ("number", "date", "time", "code") for token in _tokens(clauses))
    return has_value and has_none and answer.isascii()


def _nearest(passages: Sequence[_Passage]) -> str:
    found = [[each.reason for each in passage.differences if each.weight == "doubt"] for passage in passages]
    return min(filter(None, found), key=len)[0] if any(found) else "no passage has the words of the claim"


def _tokens(clauses: Sequence[Clause]) -> tuple[Token, ...]:
    return tuple(token for clause in clauses for token in clause.tokens)


# Texts: what an agent wrote to somebody, as a whole.

_NAME = r"[A-ZÀ-Ý][\w.'-]*"
_GREETING = re.compile(
    r"\s*(?:(?i:hi|hello|hey|dear|good (?:morning|afternoon|evening))"
    rf"(?:,? (?:and )?(?:@?{_NAME}|(?i:all|everyone|everybody|team|there)(?!\w))){{0,4}}"
    rf"|@[\w.-]+(?: {_NAME})?|[\u4e00-\u9fff]{{1,6}}(?:[您你]好|先生|女士|师傅|老师))\s*[,!:.：，！\n-]+\s*"
)
_LEAD_IN = re.compile(
    r"\s*(?:(?:this is )?(?:just )?an? (?:quick |short |friendly )?(?:note|message|reminder|update)"
    r"(?: to let you know)?|(?:this is )?(?:just )?to let you know|please note|reminder)"
    r"(?:,? that\b|(?<=know)(?=\s)|\s*[:,])\s*",
    re.IGNORECASE,
)
"""Words in front of a message that only say that it is one."""
_VOCATIVE = re.compile(r"\s*(?P<name>[A-Z][\w'-]+)[,:!]\s+")
_MENTION = re.compile(r"(?<!\w)@[\w.-]+|<@\w+>")
_CLOSING = re.compile(
    r"[\s,.!]*\b(?i:best|(?:best |kind |warm )?regards|(?:best |kind )?wishes|(?:many )?thanks|thank you|cheers"
    rf"|sincerely|yours|love(?=[,\n])|see you(?: there| soon)?)[,.!]*\s*(?P<name>(?:{_NAME} ?){{0,3}})\s*$"
)
_SIGNATURE = re.compile(rf"(?:\n\s*|(?<=[.!?。] ))(?P<name>(?:{_NAME} ?){{1,3}})\s*$")
_MARK = re.compile(r"(?<!\w)-?\d+(?:[.,:/]\d+)*|[^\W\d]+|\d+|[%€$£+?？\u2600-\u27bf\U0001f300-\U0001faff]")
"""Words, numbers with their signs and separators, and the marks that change a meaning."""


def decide_text(reference: str, text: str, known: Known = NOTHING_KNOWN) -> TextDecision:
    """Decide whether a text says what a reference says and nothing else.

    Greeting, closing, signature and mentions do not count.
    """
    if _marks(reference) == _marks(text) and not obstacle(text):
        return TextDecision("fulfilled", "the texts are equal apart from case, spaces and punctuation")
    for name, one in (("reference", reference), ("text", text)):
        if problem := obstacle(one):
            return TextDecision(None, f"the {name} {problem}")
    known = Known(known.request, (*known.texts, reference))
    if _persons(reference) and _persons(text) and _persons(reference) != _persons(text):
        return TextDecision(None, "it greets or signs with other names")
    bodies = [read(_body(one, known)) for one in (reference, text)]
    wanted, found = map(_tokens, bodies)
    wanted, found = (tuple(token for token in each if token.key not in _LATER) for each in (wanted, found))
    if not wanted or not found:
        return TextDecision(None, f"the {'text' if wanted else 'reference'} has no value and no word with content")
    found_differences = differences(wanted, found, known)
    if not found_differences:
        doubt = _added_sentence(bodies[1], wanted)
        if not doubt and _speakers(bodies[0]) != _speakers(bodies[1]):
            doubt = "it speaks of other persons"
        said = "the text says what the reference says, and nothing else"
        return TextDecision(None, doubt) if doubt else TextDecision("fulfilled", said)
    if _is_contrary(found_differences):
        return TextDecision("not_fulfilled", found_differences[0].reason)
    doubts = [each for each in found_differences if each.weight == "doubt"]
    return TextDecision(None, (doubts or found_differences)[0].reason)


_LATER = frozenset({"will", "shall"})
"""A message says *I bring it on Wednesday* and *I will bring it* of one thing."""


def _added_sentence(clauses: Sequence[Clause], wanted: Sequence[Token]) -> str:
    """Return the reason why a sentence is a doubt that has nothing of the reference; empty if there is none."""
    for clause in clauses:
        sentence = [token for each in clauses if each.sentence == clause.sentence for token in each.tokens]
        if not any(_is_among(token, wanted) for token in sentence):
            return f"it adds {clause.text[:80]!r}"
    return ""


def _speakers(clauses: Sequence[Clause]) -> frozenset[str]:
    """Return which persons a text speaks of by pronouns: those who write and read it, and others."""
    words = {word for clause in clauses for word in re.findall(r"[a-z]+", clause.text.casefold())}
    found = {f"person {number}" for number, group in enumerate(PERSONS, 1) if group & set(map(stem, words))}
    return frozenset(found | ({"others"} if words & OTHERS else set()))


def _persons(text: str) -> tuple[str, ...]:
    """Return the first name of the greeting and that of the signature, where a text has both; else empty."""
    greeting, signature = _GREETING.match(text), _CLOSING.search(text) or _SIGNATURE.search(text)
    addressed = re.findall(_NAME, greeting.group())[1:2] if greeting else []
    signed = signature["name"].split()[:1] if signature else []
    return (addressed[0].strip(",.'"), signed[0]) if addressed and signed else ()


def _body(text: str, known: Known) -> str:
    """Return a text without greeting, words that lead to it, closing, signature and mentions."""
    text = _GREETING.sub("", text, count=1) if _GREETING.match(text) else text
    vocative = _VOCATIVE.match(text)
    if vocative and known.has_word(vocative["name"]):
        text = text[vocative.end() :]
    text = _LEAD_IN.sub("", text, count=1) if _LEAD_IN.match(text) else text
    closing = _CLOSING.search(text)
    if closing and not any(stem(word.casefold()) in DOUBTFUL for word in closing["name"].split()):
        text = text[: closing.start()]
    signature = _SIGNATURE.search(text)
    if signature and all(map(known.has_word, signature["name"].split())):
        text = text[: signature.start()]
    return _MENTION.sub(" ", text)


def _marks(text: str) -> list[str]:
    return _MARK.findall(normal_form("NFKC", text).casefold())


# Titles: the subject of a mail, where nobody has dictated one.

_MOST_WORDS_OF_A_TITLE = 12


def decide_title(
    reference: str, title: str, known: Known = NOTHING_KNOWN, statements: Sequence[str] = ()
) -> TextDecision:
    """Decide whether a title fits; it may be any that only has words of the task, and values of the reference.

    A title is never refused: what it says beside the text that it stands above is for a reader.
    """
    if problem := obstacle(title):
        return TextDecision(None, f"the title {problem}")
    tokens = _tokens(read(title))
    if len(tokens) > _MOST_WORDS_OF_A_TITLE:
        return TextDecision(None, f"the title has more than {_MOST_WORDS_OF_A_TITLE} words")
    own = Known(known.request, (reference, *statements))
    known = Known(known.request, (*known.texts, *own.texts))
    for token in tokens:
        is_known = (known if token.kind == "word" else own).has(token)
        if not is_known and not (token.kind == "word" and stem(token.text) in TITLES):
            return TextDecision(None, f"the title has {token.text!r}")
    return TextDecision("fulfilled", "the title has only words of the task")


# Reports: the closing words of an agent that has changed something.

_ONLY_DONE = re.compile(
    r"(?:all |everything |it |that |this )?(?:is |has been )?(?:done|finished|completed?)", re.IGNORECASE
)
_DENIED = re.compile(
    r"(?:(?:i am )?sorry,? |unfortunately,? )?(?:but )?i (?:could not|can not|was not able to|was unable to|did not"
    r"|failed to) (?:do|finish|complete|carry out|perform|send|create|add|book|delete|remove|update|change|move|write"
    r"|post|publish|save|share) (?:it|this|that|so|the task|your request|what you asked(?: for)?)",
    re.IGNORECASE,
)
_HANDED_BACK = re.compile(
    r"(?:(?:i am )?sorry,? |unfortunately,? )?(?:but )?i (?:could not|can not|was not able to|was unable to|failed to)"
    r" (?!delete|remove|cancel)[a-z]+ (?:it|this|that|(?:the|your|this|that|an?) (?!other|second|third)[a-z]+)[.;,:!]"
    r" (?:so )?(?:please|you (?:can|may|must|should|need to|will have to)) [a-z ]*(?:yourself|manually|by hand)",
    re.IGNORECASE,
)
"""Words that say that the agent did not do it and that the user has to; of deletions others may be meant."""
_INSTEAD = re.compile(rf"\bto (?P<name>{_NAME})(?: {_NAME})? instead[.!]?$")


def decide_report(closing: str, known_texts: Sequence[str]) -> TextDecision:
    """Decide whether the closing words are true to work that is as the reference has it.

    ``fulfilled``: they only say that it is done. ``not_fulfilled``: they only say that the agent did not do it, or they
    say that it went *to NAME instead*, a name that no text of the attempt has.
    """
    if problem := obstacle(closing):
        return TextDecision(None, f"the report {problem}")
    words = plain(closing).strip()
    if _ONLY_DONE.fullmatch(words.rstrip(".!")):
        return TextDecision("fulfilled", "the closing words say that the work is done, and it is")
    if _DENIED.fullmatch(words.rstrip(".!")) or _HANDED_BACK.fullmatch(words.rstrip(".!")):
        return TextDecision("not_fulfilled", "the closing words deny work that is done")
    reversal = _INSTEAD.search(words)
    if reversal and reversal["name"].casefold() not in "\n".join(known_texts).casefold():
        return TextDecision("not_fulfilled", f"nothing went to {reversal['name']!r}")
    return TextDecision(None, "the closing words say more than that the work is done or not")
