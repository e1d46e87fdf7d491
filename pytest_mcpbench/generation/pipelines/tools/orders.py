"""Orders that rules make of the descriptions of tools, before any value is put in."""

import re
from collections.abc import Collection, Iterable

from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.lint.words import content_words, words_of
from pytest_mcpbench.definitions.proposals import first_sentence
from pytest_mcpbench.generation.pipelines.tools.amounts import with_article
from pytest_mcpbench.generation.pipelines.tools.words import words

_OPENING = re.compile(
    r"^(?:(?:this|a|the) )?(?:tool|function|endpoint)? ?"
    r"(?:(?:can be )?used? |that |which |for you )?(?:this )?(?:tool )?(?:to )",
    re.IGNORECASE,
)
"""Beginning of a description before its verb."""
_MEANS = re.compile(
    r"\s*(?:[(;:]|,\sor\s|\s(?:using|by|based on|so that|(?:with|from) (?:an )?optional|along with|for debugging|"
    r"to (?:show|visualize|display|represent|depict|illustrate|organizes?|uses?)|for displaying|given as|"
    r"simultaneously|from the file system|and return|(?:after|before|once|when|if) you(?:'ve)?|"
    r"as (?:an? )?(?:\w+ )?(?:JSON|text|object|structure|string|list|array|markdown))\b).*$",
    re.DOTALL | re.IGNORECASE,
)
"""End of a description that says how the tool works, never what it is about."""
_REMARK = re.compile(
    r"\s*(?:,(?!\s(?!all\b)(?:[\w-]+\s){1,4}(?:and|or)\s)"
    r"|\s(?:that|which|with|including|without|the newest|because)\b).*$",
    re.DOTALL,
)
"""End of a description after its object; a comma in an enumeration is no end."""
_NOUN_WITH_CLAUSE = re.compile(
    r"\w+ (?:(?:the|all) )?\w+(?: (?:in|of|on) (?:(?:the|a) )?\w+(?: \w+)?)? that (?:are|is)(?: \w+){1,5}"
)
"""Order about one noun, of which the clause says which things are meant: `show changes that are staged`."""
_WITH_GIVEN_ID = re.compile(r"(?i)\bthe (\w+) with (?:the|an?) (?:given|specified|specific|provided) (?:id|key|name)\b")
"""Thing that a description knows by the value of a parameter: `Mark the todo with the given id as done`."""
_SEVERAL = frozenset({"multiple", "several", "many", "batch"})
"""Words of names that an enumeration of values says."""
_EMPTY_ADJECTIVE = re.compile(r"\b(?:complete|detailed|comprehensive|full|recursive) (?=(?:\w+ )?\w+ (?:of|about)\b)")
"""Adjective of a description by which a person tells no tools apart: `a detailed listing of files`."""
_RANGE = re.compile(r"\s(?:of|in|within|for)\s(?:a|the)\s(?:\w+\s){0,2}range(?:\sof\s\w+)?\b")


class UnspeakableError(Exception):
    """A call that rules cannot put into words."""


def order_of(tool: ToolDefinition, names: Collection[str]) -> str:
    """Return what a tool does as an order without values, such as `get the current time in a specific timezone`.

    Args:
        tool: The tool.
        names: Parameters whose values are put into it.

    Raises:
        UnspeakableError: neither the description nor the name says it.
    """
    nouns = "|".join(sorted({"number", "value", *(re.escape(word) for name in names for word in words_of(name))}))
    # An order ends before `between timezones`, where each of the timezones follows by itself.
    return re.sub(rf"\s+(?:between|of)\s+(?:two|the|several)?\s*(?:{nouns})s$", "", _imperative(tool, names))


def _imperative(tool: ToolDefinition, names: Iterable[str]) -> str:
    """Return the beginning of a description as an order, or the words of the tool's name."""
    sentence = re.sub(r"\s*\([^()]*\)(?=\s\w)", "", first_sentence(tool)).replace("a new, ", "a new ")
    sentence = _EMPTY_ADJECTIVE.sub("", sentence)
    sentence = _WITH_GIVEN_ID.sub(lambda found: with_article(found[1]), sentence)
    whole = _MEANS.sub("", _OPENING.sub("", sentence))
    text = _RANGE.sub("", whole[: _end(whole, names)]).strip(" .,")
    adverb, _, after = text.partition(" ")
    if adverb.casefold().endswith("ly"):
        text = after
    verb, _, rest = text.replace(" and paste ", " ", 1).partition(" ")
    second = re.match(r"and (\w+) (.+)", rest)
    if second is not None and _base_form(second[1]):
        verb, rest = second[1], second[2]
    base = _base_form(verb.partition("/")[0])
    first = (words_of(tool.name) or [""])[0]
    # A description may order what the name says, as in `Lend a book` of ``lend_book``.
    if not base and first and re.match(rf"(?i){re.escape(first)}s? (?:an?|the|all|every|one|your)\b", text):
        base = first
    deed = words_of(tool.name)[-1]
    if base in words().carrying_verbs and len(words_of(tool.name)) > 1 and _base_form(deed) == deed:
        base = deed
    if base == "commit":
        rest = re.sub(r"^changes\b", "the staged changes", rest)  # Nothing else is in a commit.
    # What is left of the description may be one noun, although the tool's name has more words.
    is_noun = re.fullmatch(r"(?i)(?:(?:the|a|list|of|all)\s)*\w+", rest) is not None
    says_less = is_noun and len(words_of(tool.name)) > 2 and not whole.endswith(rest)
    if base is None or rest in ("", "here") or base in words().empty_verbs or says_less:
        # A description may order something with a verb that is not known, as in `Unstages all changes`.
        is_order = re.match(r"(?:an?|the|all|any|each|every|your|one)\s", rest) is not None
        is_verb = verb.casefold() not in words().determiners | words().openers
        return _of_name(tool.name, is_deed=base is None and is_order and is_verb)
    return f"{base} {_in_first_person(_with_article(rest, is_search=base in words().searching_verbs))}"


def _end(text: str, names: Iterable[str]) -> int:
    """Return where the remarks of a description begin, after the last word for a parameter."""
    if _NOUN_WITH_CLAUSE.fullmatch(text.strip(" .")):
        return len(text)
    nouns = "|".join(nouns_of([singular(word) for name in names for word in words_of(name)]))
    mentions = [found.end() for found in re.finditer(rf"(?i)\b(?:a|an|one)\s+(?:\w+\s+)?(?:{nouns})\b", text)]
    after = mentions[-1] if nouns and mentions else 0
    remark = _REMARK.search(text, after)
    other_deed = re.search(rf"\s(?:or|and/or)\s(?:\w+ly\s)?(?:{'|'.join(words().verbs)})\b", text)
    return min(found.start() if found else len(text) for found in (remark, other_deed))


def _in_first_person(text: str) -> str:
    """Return a text in the first person: `your files` and `the user's files` become `my files`."""
    text = re.sub(r"\b(?:the|a) (?:current |authenticated |logged-in )?user's\b|\byour\b", "my", text)
    text = re.sub(r"\byou'll\b", "I'll", text)
    return re.sub(r"^the ([\w ]+?) of the (?:current |authenticated )?(?:user|account)\b", r"my \1", text)


def _base_form(verb: str) -> str | None:
    """Return the verb without the ending of the third person; ``None`` if the word is no verb that is known."""
    word = verb.casefold()
    for form in (word, word.removesuffix("s"), word.removesuffix("es"), f"{word.removesuffix('ies')}y"):
        if form in words().verbs:
            return form
    return None


def _of_name(name: str, *, is_deed: bool) -> str:
    """Return an order in the words of a tool's name, which is about a thing to show unless the tool does something."""
    first, *others = words_of(name) or [name]
    base = _base_form(first)
    rest = " ".join(others)
    if base is None and others and _base_form(others[-1]):
        raise UnspeakableError("the description of the tool does not say what it does")
    # An `evaluator` or a `solver` treats what a person gives.
    stem = re.sub(r"(?:or|er)$", "", others[-1]) if others else ""
    deeds = (form for form in (stem, f"{stem}e") if form in words().treating_verbs)
    deed = next(deeds, None) if others and stem != others[-1] else None
    if base is None and deed is not None:
        return f"{deed} {with_article(' '.join([first, *others[:-1]]))}"
    if base is None and others and not is_deed:
        return f"get {_with_article(' '.join([first, *others]))}"
    if base is None or not rest or base in words().empty_verbs:
        raise UnspeakableError("the description of the tool does not say what it does")
    return f"{base} {_with_article(rest)}"


def _with_article(rest: str, *, is_search: bool = False) -> str:
    rest = re.sub(r"(?i)^(?:the |a )?(?:complete |full )?list of (?:the |all )?", "the ", rest)
    rest = re.sub(r"^up to \w+ ", "", rest)
    first = rest.split(" ", 1)[0].casefold().rstrip(",")
    rest = re.sub(r"^a (?=[aeio])(?!one\b)", "an ", rest)
    lowered = rest if rest[:2].isupper() else rest[:1].lower() + rest[1:]
    is_named = first in words().determiners or not first.isalpha()
    return lowered if is_named or (is_search and first.endswith("s")) else f"the {lowered}"


def lost_word(tool: ToolDefinition, order: str, names: Collection[str]) -> str | None:
    """Return a word of a tool's name that its description has too and its order has lost: `done` of ``mark_done``.

    A value of one of the parameters ``names`` stands for the word: a file for `file`, and an id for the last word.
    """
    said, described = ({singular(word) for word in words_of(text)} for text in (order, first_sentence(tool)))
    said |= {
        noun for name in names for word in words_of(name) for noun in (*words().synonyms.get(singular(word), ()), word)
    }
    others = words_of(tool.name)[1:]
    if words().identifying & {*names, *map(singular, names)}:
        others = others[:-1]
    # `unstaged` is `not yet staged`.
    stems = {
        singular(word.removeprefix("un")): word
        for word in others
        if word not in words().vague | words().jargon | _SEVERAL
    }
    lost = described - {singular(word) for word in said}
    return next((word for stem, word in stems.items() if stem in lost), None)


def check_words(text: str) -> None:
    """Raise UnspeakableError for words that people do not use, or that wait for a value."""
    said = content_words(re.sub(r"<\w+>", "", text))
    # The nodes of a graph and the schema of a table are things that people speak of.
    spoken = {thing for thing, whole in (("node", "graph"), ("schema", "table")) if whole in said}
    if (words().jargon - spoken) & said:
        raise UnspeakableError("the tool is about the server itself")
    if "`" in text:
        raise UnspeakableError("the description names a parameter")
    if re.search(r"\b(?:specified|given|provided|various|simulated|specific|N)\b", text):
        raise UnspeakableError("the description has no place for a value")


def singular(word: str) -> str:
    """Return a word without the s of its plural."""
    if word.endswith("ies") and len(word) > 5 and word not in ("movies", "series", "cookies"):
        return f"{word[:-3]}y"
    return word if word.endswith("ss") else word.removesuffix("s")


def nouns_of(name: list[str]) -> list[str]:
    """Return patterns of the nouns by which a description speaks of a parameter."""
    nouns = [noun for word in name for noun in words().synonyms.get(word, (word,))]
    return [f"{re.escape(noun[:-1])}(?:y|ie)" if noun.endswith("y") else re.escape(noun) for noun in nouns]
