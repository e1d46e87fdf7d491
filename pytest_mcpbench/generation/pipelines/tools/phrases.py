"""Wording of a call by rules: the description of its tool becomes what a person asks for, with the values in place."""

import functools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.lint.words import content_words, words_of
from pytest_mcpbench.definitions.proposals import first_sentence
from pytest_mcpbench.generation.pipelines.tools.words import words
from pytest_mcpbench.generation.spelling import spoken_moment

_OPENING = re.compile(
    r"^(?:(?:this|a|the) )?(?:tool|function|endpoint)? ?"
    r"(?:(?:can be )?used? |that |which |for you )?(?:this )?(?:tool )?(?:to )",
    re.IGNORECASE,
)
"""Beginning of a description before its verb."""
_MEANS = re.compile(
    r"\s*(?:[(;:]|\s(?:using|by|based on|so that|with optional|along with|for debugging|simultaneously|"
    r"from the file system|and return|"
    r"as (?:an? )?(?:\w+ )?(?:JSON|text|object|structure|string|list|array|markdown))\b).*$",
    re.DOTALL | re.IGNORECASE,
)
"""End of a description that says how the tool works, never what it is about."""
_REMARK = re.compile(
    r"\s*(?:,(?!\s(?:[\w-]+\s){1,4}(?:and|or)\s)|\s(?:that|which|with|including|without|the newest|because)\b).*$",
    re.DOTALL,
)
"""End of a description after its object; a comma in an enumeration is no end."""
_STANDS_FOR_VALUE = (
    r"\b(?:(?:a|an|the|any|one|some)\s+)?"
    r"(?:specific|given|specified|particular|certain|input|provided|single|multiple|several)\s+"
)
_BEFORE_NOUN = r"(?:\b(?:a|an|one)\s+(?:(?!of\b|or\b)\w+\s+)?)"
_RANGE = re.compile(r"\s(?:of|in|within|for)\s(?:a|the)\s(?:\w+\s)?range(?:\sof\s\w+)?\b")
_NEW_THING = re.compile(r"^\w+ (?:an?) (?:new )?\w+")
"""Beginning of an order that makes something; its name and type follow at once."""
_ALTERNATIVE = (
    r"(?:\s+or\s+(?:(?:a|an|the)\s+\w+(?:\s+of\s+(?:a|an|the)\s+\w+)?|\w+(?=$|\s(?:in|of|for|to|with|from|at|by)\b)))?"
)
"""``or the name of a place`` after the value that was put in its place."""


class UnspeakableError(Exception):
    """A call that rules cannot put into words."""


@dataclass(frozen=True)
class Clause:
    """What a person orders: ``show me`` and ``the current time in <1_timezone>``."""

    verb: str
    rest: str

    @property
    def order(self) -> str:
        """Return the clause as an order."""
        return f"{self.verb} {self.rest}"

    @property
    def shows(self) -> bool:
        """Return whether a person who gets this sees something and nothing else happens."""
        return self.verb in words().showing_verbs

    @property
    def answers(self) -> bool:
        """Return whether ``What is …?`` asks for it."""
        return self.verb in words().asking_verbs and self.rest.startswith(("the ", "my ", "<"))

    @property
    def is_plural(self) -> bool:
        """Return whether the thing that is asked for is many."""
        head = re.split(r"\s(?:of|in|for|at|on|from|to|between|about|called|with)\s|\s[<(]", self.rest, maxsplit=1)[0]
        return " and " in head or re.search(r"(?<![siu])s$", head) is not None


def clause(
    tool: ToolDefinition, slots: Mapping[str, str], arguments: Mapping[str, Any], referents: Collection[str] = ()
) -> Clause:
    """Return what a call does as a person would order it, such as `show me` `the current time in <1_timezone>`.

    Args:
        tool: The tool.
        slots: Placeholder for the value of each argument, by the argument's path.
        arguments: The values by path; truth values are put into words, all others stay placeholders.
        referents: Paths of values that earlier results have, whose words name the thing themselves: `the first one`.

    Raises:
        UnspeakableError: the tool or a value has no words that a person would use.
    """
    text = _without_parameters(_imperative(tool, arguments), map(_name, arguments))
    values = [
        _Value(path, words_of(_name(path)), slots[path], value, is_referent=path in referents)
        for path, value in arguments.items()
    ]
    for place in (_in_place_of_noun, _in_place_of_only_noun):
        for value in list(values):
            changed = None if isinstance(value.value, bool) else place(text, value, is_only=len(values) == 1)
            if changed is not None:
                text = changed
                values.remove(value)
    _check_words(text)
    return _clause(_with_phrases(text, values))


@dataclass(frozen=True)
class _Value:
    """A value that a clause says."""

    path: str
    name: list[str]
    """Words of the parameter's name."""
    slot: str
    value: Any
    is_referent: bool = False

    @property
    def identifies(self) -> bool:
        return bool(self.name) and self.name[-1] in words().identifying

    @property
    def owner(self) -> list[str]:
        """Return the words of the thing that the value is of: `order` for `order_id`."""
        return (self.name[:-1] if self.identifies else self.name) or self.name

    @property
    def said(self) -> str:
        is_named = self.identifies and len(self.name) > 1 and not self.is_referent
        return f"{' '.join(self.owner)} {self.slot}" if is_named else self.slot


def _clause(text: str) -> Clause:
    """Return an order with the verb that a person would use."""
    verb, _, rest = text.partition(" ")
    if rest.startswith("out "):
        verb, rest = f"{verb} out", rest.removeprefix("out ")
    said = words().spoken_verbs.get(verb, verb)
    return Clause(said, rest.removeprefix("me ") if said.endswith(" me") else rest)


def order_words(tool: ToolDefinition) -> tuple[str, frozenset[str]]:
    """Return the verb of a tool's order and its other words without values, by which tools can be told apart."""
    return _order_words(tool.name, tool.description, tuple(tool.input_schema.get("required") or ()))


@functools.lru_cache(maxsize=4096)
def _order_words(name: str, description: str, required: tuple[str, ...]) -> tuple[str, frozenset[str]]:
    values = dict.fromkeys(required, "…")
    try:
        found = clause(ToolDefinition({"name": name, "description": description}), values, values)
    except UnspeakableError:
        return "", frozenset()
    return found.verb, content_words(found.rest) - {"all", "every", "complete", "my"}


def spoken(value: Any) -> str:
    """Return a value as a request says it."""
    if isinstance(value, list):
        parts = [spoken(part) for part in value]
        return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""
    if isinstance(value, dict):
        raise UnspeakableError("an argument is an object of any form")
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    text = str(value)
    moment = spoken_moment(text)
    if moment is not None:
        return moment
    if re.fullmatch(r"[a-z]+(?:_[a-z]+)+", text):
        return text.replace("_", " ")
    return f'"{text}"' if _is_sentence(text) else text


def _is_sentence(text: str) -> bool:
    """Return whether a value has to be told from the words around it: neither a name, nor a formula, nor a time."""
    parts = text.split()
    return len(parts) > 2 and not re.search(r"\d", text) and not all(part[:1].isupper() for part in parts)


def _name(path: str) -> str:
    """Return the last name of a path that is not a position in a list."""
    return next(part for part in reversed(path.split(".")) if not part.isdigit())


def _imperative(tool: ToolDefinition, arguments: Iterable[str]) -> str:
    """Return the beginning of a description as an order, or the words of the tool's name."""
    whole = _MEANS.sub("", _OPENING.sub("", first_sentence(tool)))
    text = _RANGE.sub("", whole[: _end(whole, [_name(path) for path in arguments])]).strip(" .,")
    adverb, _, after = text.partition(" ")
    if adverb.casefold().endswith("ly"):
        text = after
    verb, _, rest = text.partition(" ")
    base = _base_form(verb)
    if base is None or not rest or base in words().empty_verbs or _says_less(rest, tool.name, whole):
        return _of_name(tool.name)
    return f"{base} {_as_mine(_with_article(rest, is_search=base in words().searching_verbs))}"


def _says_less(rest: str, name: str, description: str) -> bool:
    """Return whether what is left of a description is one noun, although the tool's name has more words."""
    is_noun = re.fullmatch(r"(?i)(?:(?:the|a|list|of|all)\s)*\w+", rest) is not None
    return is_noun and len(words_of(name)) > 2 and not description.endswith(rest)


def _end(text: str, names: Iterable[str]) -> int:
    """Return where the remarks of a description begin, after the last word for a parameter."""
    nouns = "|".join(_nouns([_singular(word) for name in names for word in words_of(name)]))
    mentions = [found.end() for found in re.finditer(rf"(?i)\b(?:a|an|one)\s+(?:\w+\s+)?(?:{nouns})\b", text)]
    after = mentions[-1] if nouns and mentions else 0
    remark = _REMARK.search(text, after)
    other_deed = re.search(rf"\s(?:or|and/or)\s(?:\w+ly\s)?(?:{'|'.join(words().verbs)})\b", text)
    return min(found.start() if found else len(text) for found in (remark, other_deed))


def _as_mine(text: str) -> str:
    """Return a text in which the user is the person who speaks."""
    text = re.sub(r"\b(?:the|a) (?:current |authenticated |logged-in )?user's\b", "my", text)
    return re.sub(r"^the ([\w ]+?) of the (?:current |authenticated )?(?:user|account)\b", r"my \1", text)


def _without_parameters(text: str, names: Iterable[str]) -> str:
    """Return an order without its end `between timezones`, where each of the timezones follows by itself."""
    nouns = "|".join(sorted({"number", "value", *(re.escape(word) for name in names for word in words_of(name))}))
    return re.sub(rf"\s+(?:between|of)\s+(?:two|the|several)?\s*(?:{nouns})s$", "", text)


def _base_form(verb: str) -> str | None:
    """Return the verb without the ending of the third person; ``None`` if the word is no verb that is known."""
    word = verb.casefold()
    for form in (word, word.removesuffix("s"), word.removesuffix("es"), f"{word.removesuffix('ies')}y"):
        if form in words().verbs:
            return form
    return None


def _of_name(name: str) -> str:
    first, *others = words_of(name) or [name]
    base = _base_form(first)
    rest = " ".join(others)
    if base is None and others:
        return f"get {_with_article(' '.join([first, *others]))}"
    if base is None or not rest or base in words().empty_verbs:
        raise UnspeakableError("the description of the tool does not say what it does")
    return f"{base} {_with_article(rest)}"


def _with_article(rest: str, *, is_search: bool = False) -> str:
    rest = re.sub(r"(?i)^(?:the |a )?(?:complete |full )?list of (?:the |all )?", "the ", rest)
    rest = re.sub(r"^up to \w+ ", "", rest)
    first = rest.split(" ", 1)[0].casefold().rstrip(",")
    lowered = rest if rest[:2].isupper() else rest[:1].lower() + rest[1:]
    is_named = first in words().determiners or not first.isalpha()
    return lowered if is_named or (is_search and first.endswith("s")) else f"the {lowered}"


def _has_jargon(text: str) -> bool:
    return bool(words().jargon & content_words(text))


def _check_words(text: str) -> None:
    """Raise UnspeakableError for words that people do not use, or that wait for a value."""
    if _has_jargon(re.sub(r"<\w+>", "", text)):
        raise UnspeakableError("the tool is about the server itself")
    if re.search(r"\b(?:specified|given|provided|various|simulated)\b", text):
        raise UnspeakableError("the description has no place for a value")


def _in_place_of_noun(text: str, value: _Value, *, is_only: bool) -> str | None:
    """Put a value where the text speaks of it, such as `a specific timezone`; ``None`` if it does not."""
    own = "|".join(_nouns([_singular(value.owner[-1])])) if value.owner else ""
    every = "|".join(_nouns([_singular(word) for word in value.name]))
    patterns = [
        rf"{_STANDS_FOR_VALUE}(?:\w+\s+)?(?:{every})s?\b(?:\s+(?:names?|symbols?|ids?)\b)?",
        rf"{_BEFORE_NOUN}(?:{own})\b{_ALTERNATIVE}",
        rf"\bthe\s+(?:{own})$",
        *([rf"{_STANDS_FOR_VALUE}\w+\b"] if is_only else []),
    ]
    changed, number = re.subn("|".join(patterns), lambda _: value.said, text, count=1, flags=re.IGNORECASE)
    return changed if number else None


def _in_place_of_only_noun(text: str, value: _Value, *, is_only: bool) -> str | None:
    """Put an id behind the only thing that the text speaks of, and any only value in its place at the end."""
    nouns = re.findall(r"\b(?:a|an|one)\s+(\w+)", text)
    if len(nouns) != 1 or nouns[0] in ("of", "or", "and") or _makes(text):
        return None
    if value.identifies:
        thing = "" if value.is_referent else f"{nouns[0]} "
        return re.sub(rf"\b(?:a|an|one)\s+\w+{_ALTERNATIVE}", lambda _: f"{thing}{value.slot}", text)
    end = re.compile(r"(\s(?:of|for|in|about|to)\s)(?:a|an|one)\s+\w+$")
    changed, number = end.subn(lambda found: f"{found[1]}{value.slot}", text)
    return changed if number and is_only else None


def _makes(text: str) -> bool:
    return text.partition(" ")[0] in words().making_verbs


def _singular(word: str) -> str:
    return word if word.endswith("ss") else word.removesuffix("s")


def _nouns(name: list[str]) -> list[str]:
    """Return patterns of the nouns by which a description speaks of a parameter."""
    return [re.escape(noun) for word in name for noun in words().synonyms.get(word, (word,))]


def _with_phrases(text: str, values: Sequence[_Value]) -> str:
    """Append the words for values that the order has no place for; numbers of results come last."""
    letters = [each.slot for each in values if len(each.path) == 1 and not isinstance(each.value, bool)]
    others = [each for each in values if len(each.path) > 1 or isinstance(each.value, bool)]
    is_search = text.partition(" ")[0] in words().searching_verbs
    phrases = [f"of {spoken(letters)}"] if letters else []
    phrases += [_phrase(each, is_search=is_search) for each in others if not _is_count(each)]
    _check_phrases(phrases)
    new_thing = _NEW_THING.match(text) if _makes(text) else None
    if new_thing:
        own = [phrase for phrase in phrases if phrase.startswith(("called ", "of type "))]
        phrases = [phrase for phrase in phrases if phrase not in own]
        text = " ".join([new_thing[0], *own]) + text[new_thing.end() :]
    return " ".join([text, *phrases, *(f"({each.slot} at most)" for each in others if _is_count(each))])


def _check_phrases(phrases: Sequence[str]) -> None:
    """Raise UnspeakableError for more phrases than a sentence can have."""
    if sum(phrase.startswith(_WITHOUT_WORDS) for phrase in phrases) > 1:
        raise UnspeakableError("several values have no words but the names of their parameters")
    if len(phrases) > _MOST_PHRASES:
        raise UnspeakableError("there are too many values for a sentence")


_MOST_PHRASES = 4
_WITHOUT_WORDS = "with the "
"""Beginning of a phrase that has but the name of the parameter for its value."""


def _is_count(value: _Value) -> bool:
    is_number = isinstance(value.value, int | float) and not isinstance(value.value, bool)
    return is_number and "." not in value.path and bool(words().counts & set(value.name))


def _phrase(value: _Value, *, is_search: bool) -> str:
    """Return the words for one value."""
    name = value.name
    if isinstance(value.value, bool):
        return _flag(name, is_set=value.value)
    if value.is_referent or (name[-1] == "id" and len(name) > 1):
        return f"for {value.said}"
    noun = name[-2] if name[-1] == "code" and len(name) > 1 else name[-1]
    forms = [form for names, form in words().directions if names & set(name)]
    forms += [form for names, form in words().connectors if {noun, _singular(noun)} & names]
    if forms and {"time", "hour"} & set(name) and not re.match(r"[\d<]", str(value.value)):
        return f"for {value.slot}"
    if forms:
        return ("matching {}" if is_search and forms[0] == "for {}" else forms[0]).format(value.slot)
    if set(name) <= words().vague:
        raise UnspeakableError(f"nothing says what a {' '.join(name)} is")
    if isinstance(value.value, int | float):
        return f"with {_article(name[0])} {' '.join(name)} of {value.slot}"
    return f"{_WITHOUT_WORDS}{' '.join(name)} {value.slot}"


def _article(word: str) -> str:
    return "an" if word[:1] in "aeiou" else "a"


def _flag(name: list[str], *, is_set: bool) -> str:
    first, rest = name[0], " ".join(name[1:])
    if first in words().flags and rest:
        return f"including {rest}" if is_set else f"without {rest}"
    return f"with {' '.join(name)}" if is_set else f"without {' '.join(name)}"
