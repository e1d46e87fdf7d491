"""Wording of a call by rules: the description of its tool becomes what a person asks for, with the values in place."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.lint.words import words_of
from pytest_mcpbench.definitions.proposals import first_sentence
from pytest_mcpbench.generation.pipelines.tools.words import words

_OPENING = re.compile(
    r"^(?:(?:this|a|the) )?(?:tool|function|endpoint)? ?"
    r"(?:(?:can be )?used? |that |which |for you )?(?:this )?(?:tool )?(?:to )",
    re.IGNORECASE,
)
"""Beginning of a description before its verb."""
_ENDING = re.compile(
    r"\s*(?:[(;:,]|\s(?:using|by|based on|that|which|so that|with optional|along with|for debugging)\b).*$", re.DOTALL
)
"""End of a description after its object."""
_STANDS_FOR_VALUE = (
    r"\b(?:(?:a|an|the|any|one)\s+)?"
    r"(?:specific|given|specified|particular|certain|input|provided|single|multiple|several)\s+"
)


class UnspeakableError(Exception):
    """A call that rules cannot put into words."""


def clause(tool: ToolDefinition, slots: Mapping[str, str], arguments: Mapping[str, Any]) -> str:
    """Return what a call does as a person would order it, such as `look up the current time in <1_timezone>`.

    Args:
        tool: The tool.
        slots: Placeholder for the value of each argument.
        arguments: The values; truth values are put into words, all others stay placeholders.

    Raises:
        UnspeakableError: a value has no short form in words.
    """
    head = _without_parameters(_imperative(tool), arguments).replace("the user's", "my")
    if any(words().counts & set(words_of(name)) for name in arguments):
        head = re.sub(r"\bup to \w+ ", "", head)
    left = dict(arguments)
    for name in list(left):
        if not isinstance(left[name], bool):
            head, is_placed = _with_value(head, name, slots[name], is_only=len(left) == 1)
            if is_placed:
                left.pop(name)
    return " ".join([head, *_phrases(left, slots)])


def spoken(value: Any) -> str:
    """Return a value as a request says it."""
    if isinstance(value, list):
        parts = [spoken(part) for part in value]
        return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""
    if isinstance(value, dict):
        raise UnspeakableError("an argument is an object")
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    text = str(value)
    if re.fullmatch(r"[a-z]+(?:_[a-z]+)+", text):
        return text.replace("_", " ")
    return f'"{text}"' if len(text.split()) > 2 else text


def _imperative(tool: ToolDefinition) -> str:
    """Return the beginning of a description as an order, or the words of the tool's name."""
    whole = _OPENING.sub("", first_sentence(tool))
    short = _ENDING.sub("", whole)
    text = short if len(short.split()) > 2 else whole.partition("(")[0].strip()
    verb, _, rest = text.partition(" ")
    base = _base_form(verb)
    if base is None or not rest or base in words().empty_verbs:
        return _of_name(tool.name)
    return f"{words().spoken_verbs.get(base, base)} {_with_article(rest)}"


def _without_parameters(head: str, names: Iterable[str]) -> str:
    """Return an order without its end `between timezones`, where each of the timezones follows by itself."""
    nouns = "|".join(sorted({re.escape(word) for name in names for word in words_of(name)}))
    return re.sub(rf"\s+between\s+(?:two\s+)?(?:{nouns})s$", "", head) if nouns else head


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
    if base is None:
        return f"get me {_with_article(' '.join([first, *others]))}"
    rest = " ".join(others)
    if not rest:
        raise UnspeakableError("the description of the tool does not say what it does")
    return f"{words().spoken_verbs.get(base, base)} {_with_article(rest)}"


def _with_article(rest: str) -> str:
    first = rest.split(" ", 1)[0].casefold()
    lowered = rest if rest[:2].isupper() else rest[:1].lower() + rest[1:]
    return lowered if first in words().determiners or not first.isalpha() else f"the {lowered}"


def _with_value(head: str, name: str, slot: str, *, is_only: bool) -> tuple[str, bool]:
    """Put a value where the text speaks of it, such as `a specific timezone`."""
    name_words = words_of(name)
    own = _nouns([name_words[-1].removesuffix("s")])
    said = f"{' '.join(name_words[:-1])} {slot}" if len(name_words) > 1 and name_words[-1] == "id" else slot
    every = _nouns([word.removesuffix("s") for word in name_words])
    patterns = [
        rf"{_STANDS_FOR_VALUE}(?:\w+\s+)?(?:{every})s?\b(?:\s+(?:names?|symbols?|ids?)\b)?",
        rf"\b(?:a|an)\s+(?:{own})\b(?:\s+or\s+(?:{own})\b)?",
        rf"\bthe\s+(?:{own})$",
        *([rf"{_STANDS_FOR_VALUE}\w+\b"] if is_only else []),
    ]
    changed, number = re.subn("|".join(patterns), lambda _: said, head, count=1, flags=re.IGNORECASE)
    return changed, bool(number)


def _nouns(name: list[str]) -> str:
    """Return a pattern for the nouns by which a description speaks of a parameter."""
    return "|".join(re.escape(noun) for word in name for noun in words().synonyms.get(word, (word,)))


def _phrases(arguments: Mapping[str, Any], slots: Mapping[str, str]) -> Iterator[str]:
    letters = [slots[name] for name, value in arguments.items() if len(name) == 1 and not isinstance(value, bool)]
    if letters:
        yield f"of {', '.join(letters[:-1])} and {letters[-1]}" if len(letters) > 1 else f"of {letters[0]}"
    for name, value in arguments.items():
        if isinstance(value, bool):
            yield _flag(words_of(name), is_set=value)
        elif len(name) > 1:
            yield _phrase(words_of(name), slots[name], value)


def _phrase(name: list[str], slot: str, value: Any) -> str:
    """Return the words for one value; ``name`` has the words of its parameter."""
    if words().counts & set(name) and isinstance(value, int | float):
        things = " ".join(word for word in name if word not in words().counts and word not in ("of", "per"))
        return f"with at most {slot} {things or 'results'}"
    if name[-1] == "id" and len(name) > 1:
        return f"for {' '.join(name[:-1])} {slot}"
    forms = [form for names, form in words().directions if names & set(name)]
    forms += [form for names, form in words().connectors if {name[-1], name[-1].removesuffix("s")} & names]
    if forms:
        return forms[0].format(slot)
    return f"with {slot} as the {' '.join(name)}"


def _flag(name: list[str], *, is_set: bool) -> str:
    text = " ".join(name)
    if name[0] in words().flags:
        return f"and {text}" if is_set else f"and do not {text}"
    return f"with {text}" if is_set else f"without {text}"
