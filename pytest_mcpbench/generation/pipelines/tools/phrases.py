"""Wording of a call by rules: the order of its tool with the values in place."""

import functools
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.lint.words import content_words, words_of
from pytest_mcpbench.generation.pipelines.tools.amounts import (
    amount,
    has_own_words,
    is_limit,
    is_numbered,
    preposition,
    with_article,
)
from pytest_mcpbench.generation.pipelines.tools.orders import (
    UnspeakableError,
    check_words,
    lost_word,
    nouns_of,
    order_of,
    singular,
)
from pytest_mcpbench.generation.pipelines.tools.spoken import enumeration, is_statement, spoken_value
from pytest_mcpbench.generation.pipelines.tools.words import words
from pytest_mcpbench.generation.spelling import month_name
from pytest_mcpbench.metrics.comparison.arguments import is_number

# Values put into the order of a tool, where the order speaks of them.

_STANDS_FOR_VALUE = (
    r"\b(?:(?:a|an|the|any|one|some)\s+)?"
    r"(?:specific|given|specified|particular|certain|input|provided|single|multiple|several|existing)\s+"
)
_BEFORE_NOUN = r"(?:\b(?:a|an|one)\s+(?:(?!of\b|or\b)\w+\s+)?)"
_STATE = r"(?:(?:\w+(?:ed|ing|ly)|idle)\s+)*"
"""Words between an article and its noun, as in `a previously locked todo`, which the value makes needless."""
_ALTERNATIVE = (
    r"(?:\s+or\s+(?:(?:a|an|the)\s+\w+(?:\s+of\s+(?:a|an|the)\s+\w+)?|\w+(?=$|\s(?:in|of|for|to|with|from|at|by)\b)))?"
)
"""``or the name of a place`` after the value that was put in its place."""

_MEASURED = re.compile(r"(\w+) (?:the |an? )?(?:between )?((?:(?!between)[a-z]+ )?[a-z]+?(?:[^s\W]|ss))(?: units)?")
"""Order about one thing that is measured: ``convert computer storage``, ``convert between volume units``."""


_REPOSITORY = frozenset({"repo", "repository"})
_FILES = frozenset({"file", "directory", "folder"})
_FILE_NAMES = frozenset({"path", "file", "filepath", "filename"})
_ADDED = (["text"], ["content"], ["title"], ["item"])
"""Names of a text that is itself what is added to a list."""
_SHEETS = frozenset({"sheet", "sheets", "worksheet", "worksheets"})


def is_directory(path: Any) -> bool:
    """Return whether a path is a directory's, by its name without an ending."""
    return re.fullmatch(r"(?:\{sandbox\}/)?\w[\w/-]*", str(path)) is not None


@dataclass(frozen=True)
class SaidValue:
    """Value that a clause says, with the words of its parameter."""

    path: str
    name: list[str]
    """Words of the parameter's name."""
    slot: str
    value: Any
    is_required: bool = False
    is_referent: bool = False

    @property
    def is_limit(self) -> bool:
        return is_number(self.value) and "." not in self.path and is_limit(self.name, is_required=self.is_required)

    @property
    def identifies(self) -> bool:
        return bool(self.name) and singular(self.name[-1]) in words().identifying

    @property
    def is_new_name(self) -> bool:
        """Return whether the value is ``new_name``, by which no thing is known yet."""
        return self.identifies and self.name[0] == "new"

    @property
    def owner(self) -> list[str]:
        """Return the words of the thing that the value is of: `order` for `order_id`."""
        is_place = self.name[-1:] == ["path"] and not _FILES & set(self.name)
        return (self.name[:-1] if self.identifies or is_place else self.name) or self.name

    @property
    def is_month(self) -> bool:
        """Return whether a request names the month that the value stands for."""
        return month_name(self.name, self.value) is not None

    @property
    def slot_with_noun(self) -> str:
        """Return the slot with the noun that a person says before it: ``order <1_order_id>``, ``page <1_page>``."""
        if is_number(self.value) and is_numbered(self.name) and not self.is_month:
            return f"{self.name[-1]} {self.slot}"
        if self.name == ["path"] and is_directory(self.value):
            return f"the directory {self.slot}"
        if self.name in (["tag"], ["label"], ["sheet"], ["worksheet"]):
            return f"the {self.name[0]} {self.slot}"
        if _REPOSITORY & set(self.name):
            return f"the repository {self.slot}"
        if self.name == ["pattern"]:
            return f"the pattern {self.slot}"
        if self.name in (["revision"], ["commit"]):
            return f"the commit {self.slot}"
        is_named = self.identifies and len(self.name) > 1 and not self.is_referent
        if is_named and self.owner[-1] in words_of(str(self.value)):
            return self.slot  # The task task-3 says its noun itself.
        if is_named and singular(self.name[-1]) == "name":
            return f"the {singular(' '.join(self.owner))} {self.slot}"
        return f"{' '.join(self.owner)} {self.slot}" if is_named else self.slot


def place_values(text: str, values: Sequence[SaidValue]) -> tuple[str, list[SaidValue]]:
    """Return an order with the values that it speaks of, and the values that it has no place for.

    Truth values have none: they are put into words.
    """
    left = list(values)
    for place in (
        _before_what_is_of_a_kind,
        _in_place_of_noun,
        _in_place_of_only_noun,
        _in_place_of_plural,
        _behind_plural,
        _behind_what_is_measured,
    ):
        for value in list(left):
            changed = None if isinstance(value.value, bool) else place(text, value, is_only=len(left) == 1)
            if changed is not None:
                text = changed
                left.remove(value)
    return text, left


def last_name(path: str) -> str:
    """Return the last name of a path that is not a position in a list."""
    return next(part for part in reversed(path.split(".")) if not part.isdigit())


def makes_something(order: str) -> bool:
    """Return whether an order is to make a new thing."""
    return order.partition(" ")[0] in words().making_verbs


def _in_place_of_noun(text: str, value: SaidValue, *, is_only: bool) -> str | None:
    """Put a value where the text speaks of it, such as `a specific timezone`; ``None`` if it does not."""
    if value.name in (["from"], ["to"]) or value.is_new_name:
        return None
    own = "|".join(nouns_of([singular(value.owner[-1])])) if value.owner else ""
    every = "|".join(nouns_of([singular(word) for word in value.name]))
    patterns = [
        rf"{_STANDS_FOR_VALUE}(?:\w+\s+)?(?:{every})s?\b(?:\s+(?:names?|symbols?|ids?)\b)?",
        rf"{_BEFORE_NOUN}(?:{own})\b(?!\s(?:file|body|entry|record)\b){_ALTERNATIVE}",
        rf"\bthe\s+(?:{own})$",
        *([rf"{_STANDS_FOR_VALUE}\w+\b"] if is_only else []),
    ]
    changed, number = re.subn("|".join(patterns), lambda _: value.slot_with_noun, text, count=1, flags=re.IGNORECASE)
    if not number and singular(value.name[-1]) in ("file", "path") and not _REPOSITORY & set(value.name):
        changed, number = re.subn(r"\b(?:the )?file contents\b", lambda _: f"the contents of {value.slot}", text)
    return changed if number else None


def _in_place_of_only_noun(text: str, value: SaidValue, *, is_only: bool) -> str | None:
    """Put an id behind the only thing that the text speaks of, and any only value in its place at the end."""
    nouns = re.findall(rf"\b(?:a|an|one)\s+{_STATE}(\w+)", text)
    if len(nouns) != 1 or nouns[0] in ("of", "or", "and") or makes_something(text) or value.is_new_name:
        return None
    if value.identifies:
        thing = "" if value.is_referent else f"{nouns[0]} "
        return re.sub(rf"\b(?:a|an|one)\s+{_STATE}\w+{_ALTERNATIVE}", lambda _: f"{thing}{value.slot}", text)
    end = re.compile(r"(\s(?:of|for|in|about|to)\s)(?:a|an|one)\s+\w+$")
    changed, number = end.subn(lambda found: f"{found[1]}{value.slot}", text)
    return changed if number and is_only else None


def _in_place_of_plural(text: str, value: SaidValue, *, is_only: bool) -> str | None:  # noqa: ARG001 (places share a signature)
    """Put the name of one thing where the text speaks of all: `switch branches`, `delete notes from notebooks`."""
    if not value.identifies or len(value.name) < 2 or makes_something(text):
        return None
    own = "|".join(nouns_of([singular(value.owner[-1])]))
    thing = f"the {value.slot_with_noun.removeprefix('the ')}" if not value.is_referent else value.slot
    places = rf"\b(from|to|of|in|for) (?:{own})e?s\b"
    changed, number = re.subn(places, lambda found: f"{found[1]} {thing}", text, count=1)
    if not number:
        whole = re.fullmatch(rf"(\w+)(?: the)? (?:{own})e?s", text)
        changed = f"{whole[1]}{' to' if whole[1] == 'switch' else ''} {thing}" if whole else ""
    return changed or None


def _behind_plural(text: str, value: SaidValue, *, is_only: bool) -> str | None:
    """Put a value behind the things that the order is about: `convert lunar dates` is of one date."""
    if not is_only or text.partition(" ")[0] not in words().treating_verbs:
        return None
    own = "|".join(nouns_of([singular(value.name[-1])]))
    changed, number = re.subn(rf"^(\w+ (?:\w+ ){{0,4}}?(?:{own}))s\b", lambda found: f"{found[1]} {value.slot}", text)
    return changed if number else None


def _before_what_is_of_a_kind(text: str, value: SaidValue, *, is_only: bool) -> str | None:  # noqa: ARG001
    """Put a kind before the things that are of it: `list the local branches` for the type `local` of branches."""
    if value.name[-1] not in ("type", "kind") or len(value.name) < 2 or makes_something(text):
        return None
    own = "|".join(nouns_of([singular(value.name[-2])]))
    things = re.compile(rf"^(\w+(?: me)?) (?:the )?((?:\w+ )?(?:{own})e?s)\b")
    if value.value == "all":
        return things.sub(lambda found: f"{found[1]} {value.slot} the {found[2]}", text) if things.match(text) else None
    is_adjective = isinstance(value.value, str) and re.fullmatch(r"[a-z]+", value.value)
    return (
        things.sub(lambda found: f"{found[1]} the {value.slot} {found[2]}", text)
        if is_adjective and things.match(text)
        else None
    )


def _behind_what_is_measured(text: str, value: SaidValue, *, is_only: bool) -> str | None:
    """Put a bare `value` behind the only thing that the order names: `convert a temperature of 25`."""
    is_bare = value.name in (["value"], ["amount"], ["quantity"]) and (is_number(value.value) or value.value == "…")
    measured = _MEASURED.fullmatch(text) if is_bare and not is_only else None
    return measured and f"{measured[1]} {with_article(measured[2])} of {value.slot}"


_NEW_THING = re.compile(
    r"^\w+ an? (?:[\w-]+ )*?[\w-]+"
    r"(?=\s(?:in|into|of|for|to|from|with|on|onto|at|about|as|that|between|by|and|or|called)\b|\s[<(]|$)"
)
"""Beginning of an order that makes something; its name and type follow at once."""
_END_OF_HEAD = re.compile(r"\s(?:of|in|for|at|on|from|to|between|about|called|with|that)\s|\s[<(]")
"""End of the words that name what is asked for: `the changes` of `the changes that are staged`."""
_MOST_PHRASES = 4
_WITHOUT_WORDS = "with the "
"""Beginning of a phrase that says no more about its value than the name of the parameter."""


@dataclass(frozen=True)
class OrderClause:
    """Order of a person in two parts: ``show me`` and ``the current time in <1_timezone>``."""

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
        is_limited = ", at most <" in self.rest
        return self.verb in words().asking_verbs and self.rest.startswith(("the ", "my ", "<")) and not is_limited

    @property
    def is_plural(self) -> bool:
        """Return whether several things are asked for."""
        head = _END_OF_HEAD.split(self.rest, maxsplit=1)[0]
        return " and " in head or re.search(r"(?<![siu])s$", head) is not None


def clause(
    tool: ToolDefinition, slots: Mapping[str, str], arguments: Mapping[str, Any], referents: Collection[str] = ()
) -> OrderClause:
    """Return what a call does as a person would order it, such as `show me` `the current time in <1_timezone>`.

    Args:
        tool: The tool.
        slots: Placeholder for the value of each argument, by the argument's path.
        arguments: The values by path; truth values are put into words, all others stay placeholders.
        referents: Paths of values that earlier results have, whose words name the thing themselves: `the first one`.

    Raises:
        UnspeakableError: the tool or a value has no words that a person would use.
    """
    required = tool.required
    values = [
        SaidValue(path, words_of(last_name(path)), slots[path], value, path in required, is_referent=path in referents)
        for path, value in arguments.items()
    ]
    if any(
        is_number(each.value) and (each.name[-2:] == ["of", "month"] or each.name[:1] == ["per"]) for each in values
    ):
        raise UnspeakableError("a day of any month, or a number of things on a page, has no words")
    text = _order_about(tool, arguments)
    verb = text.partition(" ")[0]
    if verb in ("search", "find") and not values:
        raise UnspeakableError("nothing says what to search for")
    names_alone = all(each.identifies and not each.is_new_name for each in values)
    if verb in words().changing_verbs and (len(values) < 2 or names_alone):
        raise UnspeakableError("nothing says what is to change")
    return _clause_with_values(tool, text, values, arguments)


def _order_about(tool: ToolDefinition, paths: Collection[str]) -> str:
    """Return the order of a tool, about a single thing if a list among the arguments has one object."""
    text = order_of(tool, [last_name(path) for path in paths])
    for name in dict.fromkeys(path.split(".0.")[0] for path in paths if ".0." in path):
        own = "|".join(nouns_of([singular(word) for word in words_of(name)[-1:]]))
        several = rf"\b(?:the )?(?:(?:multiple|several|one or more) )?(new )?({own})s\b"
        text = re.sub(several, lambda found: with_article(f"{found[1] or ''}{singular(found[2] + 's')}"), text, count=1)
    return text


def _clause_with_values(
    tool: ToolDefinition, text: str, values: Sequence[SaidValue], arguments: Mapping[str, Any]
) -> OrderClause:
    """Return the order of a tool with all values of a call in it."""
    if {tuple(each.name) for each in values} >= {("from",), ("to",)}:
        # `between entities` says less than the two, which follow by their names.
        text = re.sub(r"\s+between (?:(?:the|two) )?\w+s\b", "", text)
    text = _with_statement(text, tool.description, values)
    text, values = _moved_thing(text, values, tool.description)
    text, left = place_values(text, values)
    # Values that follow by themselves leave no noun behind, as in `holidays for 2025 and country`.
    nouns = "|".join(re.escape(each.owner[-1]) for each in left if each.owner)
    text = re.sub(rf"(?<=>) and (?:an? |the )?(?:{nouns})\b", "", text) if nouns else text
    text, left = _change_of_one_text(text, left)
    text, left = _added_text(text, left)
    if not any(isinstance(value, list) and len(value) > 1 for value in arguments.values()):
        text = text.replace(" and their ", " and its ")
    left_out = tool.properties.keys() - arguments.keys()
    text = _without_alternatives(text, left_out)
    if "range" in left_out and "range" in words_of(tool.name):
        raise UnspeakableError("nothing says which cells are meant")
    objects = "|".join(re.escape(name) for name in left_out)
    if objects and not makes_something(text) and re.match(rf"\w+ an? (?:{objects})\b", text):
        raise UnspeakableError("nothing says which thing is meant")
    check_words(text)
    order = _with_phrases(text, left)
    if text.partition(" ")[0] in words().marking_verbs and not re.search(r"\s(?:as|to|into)\s", order):
        raise UnspeakableError("nothing says as what a thing is marked, or to what it is set")
    texts = [value for value in arguments.values() if isinstance(value, str)]
    has_file = any(re.fullmatch(r"[\w{}/-]+\.\w{1,5}", each) for each in texts)
    names = [*map(last_name, arguments), *(["path"] if has_file else [])]
    if (lost := lost_word(tool, order, names)) is not None:
        raise UnspeakableError(f"the description has no place for the word {lost} of the tool's name")
    return _clause(_amount_before_units(order, values), words_of(tool.name)[:1])


def _amount_before_units(order: str, values: Sequence[SaidValue]) -> str:
    """Return `convert 5 miles to kilometers` for `convert a length of 5 from miles to kilometers`."""
    ends = [each.slot for name in ("from", "to") for each in values if each.name == [name, "unit"]]
    if len(ends) < 2:
        return order
    first, second = map(re.escape, ends)
    return re.sub(rf"^(\w+) an? [\w ]+ of (<\w+>) from ({first}) to ({second})$", r"\1 \2 \3 to \4", order)


def _with_statement(text: str, description: str, values: Sequence[SaidValue]) -> str:
    """Return `execute a query on the database` for an order to execute statements of several kinds."""
    where = re.search(r"\b(?:query|statement)s? (on the [\w ]*database)\b", description)
    is_run = where is not None and text.partition(" ")[0] == "execute" and len(values) == 1
    return f"execute a query {where[1]}" if where and is_run and is_statement(values[0].value) else text


def _moved_thing(text: str, values: Sequence[SaidValue], description: str) -> tuple[str, list[SaidValue]]:
    """Return `move a.txt` for a text about moving files from a source to a destination, and the other values."""
    source = next((each for each in values if each.name == ["source"]), None)
    has_end = any(each.name in (["destination"], ["target"]) for each in values)
    moved = re.fullmatch(r"(move|copy) (?:the |an? )?(?:file|folder|directory)\w*(?: (?:and|or) \w+)?", text)
    if source is None or moved is None or not has_end:
        return text, list(values)
    end = next(str(each.value) for each in values if each.name in (["destination"], ["target"]))
    stays = str(source.value).rpartition("/")[0] == end.rpartition("/")[0]
    verb = "rename" if stays and re.search(r"\brename\b", description) else moved[1]
    return f"{verb} {source.slot}", [each for each in values if each != source]


def _change_of_one_text(text: str, left: Sequence[SaidValue]) -> tuple[str, list[SaidValue]]:
    """Return `change the title of task 3 to Lunch` for an order to change fields of a thing, and the other values."""
    news = [each for each in left if isinstance(each.value, str) and each.name[-1] in words().replaceable]
    verb, _, rest = text.partition(" ")
    thing = re.search(r"((?:(?!of\b|the\b|an?\b)[a-z]+ )?<\w+>)", rest)
    if verb not in words().changing_verbs or len(news) != 1 or thing is None:
        return text, list(left)
    others = [each for each in left if each != news[0]]
    places = "".join(f" {_phrase(each, text)}" for each in others if each.identifies)
    what = " ".join([*news[0].name, *(["date"] if news[0].name == ["due"] else [])])
    changed = f"change the {what} of {thing[1]}{places} to {news[0].slot}"
    return changed, [each for each in others if not each.identifies]


def _added_text(text: str, left: Sequence[SaidValue]) -> tuple[str, list[SaidValue]]:
    """Return `add "Call Ann" to the todo list` for an order to add a todo to a list, and the other values.

    What is added to one thing keeps its noun: `add the comment "Agreed" to task 3`.
    """
    owned = re.fullmatch(r"(add|append) an? (?:new )?(\w+) to ((?:the )?(?:\w+ )?<[^<>]+>.*)", text)
    texts = [
        each for each in left if not isinstance(each.value, bool) and singular(each.name[-1]) in words().added_texts
    ]
    # A thing with a title of its own is no text: the text is only a part of it.
    has_title = any(each.name[-1] in ("title", "name") for each in left)
    if owned is not None and len(texts) == 1 and not has_title:
        others = [each for each in left if each != texts[0]]
        return f"{owned[1]} the {owned[2]} {texts[0].slot} to {owned[3]}", others
    added = re.fullmatch(r"(add|append) an? (?:new )?\w+ to (?:the|my|your) (?:\w+'s )?(\w+(?: \w+)?)", text)
    news = [each for each in left if isinstance(each.value, str) and each.name in _ADDED]
    if added is None or len(news) != 1:
        return text, list(left)
    return f"{added[1]} {news[0].slot} to the {added[2]}", [each for each in left if each != news[0]]


def has_words(parameter: str) -> bool:
    """Return whether a person has words for the value of a parameter, by its name."""
    return bool(_forms(words_of(parameter)))


def _clause(text: str, deed: Sequence[str]) -> OrderClause:
    """Return an order with the verb that a person would use; to return a thing is the deed of ``return_book``."""
    verb, _, rest = text.partition(" ")
    if rest.startswith("out "):
        verb, rest = f"{verb} out", rest.removeprefix("out ")
    said = verb if verb == "return" and verb in deed else words().spoken_verbs.get(verb, verb)
    return OrderClause(said, rest.removeprefix("me ") if said.endswith(" me") else rest)


def order_words(tool: ToolDefinition) -> tuple[str, frozenset[str]]:
    """Return the verb of a tool's order and its other words without values, by which tools can be told apart."""
    verb, rest = _order_without_values(tool.name, tool.description, tool.required)
    return verb, content_words(rest) - {"all", "every", "complete", "my"}


def words_of_head(tool: ToolDefinition) -> frozenset[str]:
    """Return the words for what a tool's order is about first: `address` of `the address of the shop`."""
    _, rest = _order_without_values(tool.name, tool.description, tool.required)
    return content_words(_END_OF_HEAD.split(rest, maxsplit=1)[0])


@functools.lru_cache(maxsize=4096)
def _order_without_values(name: str, description: str, required: tuple[str, ...]) -> tuple[str, str]:
    tool = ToolDefinition({"name": name, "description": description})
    arguments = dict.fromkeys(required, "…")
    values = [SaidValue(path, words_of(path), "…", "…") for path in required]
    try:
        # A tool may need ids alone to change what its other parameters say: no call, and still an order.
        found = _clause_with_values(tool, _order_about(tool, arguments), values, arguments)
    except UnspeakableError:
        return "", ""
    return found.verb, found.rest


def _without_alternatives(text: str, left_out: Collection[str]) -> str:
    """Return an order without what other values are for, as in `for all types or for <type>`."""
    text = re.sub(r"\s(?:for|of|in)\s(?:all|each|every)\s[\w ]+?\sor\s(?=(?:for|of|in)\s[<…])", " ", text)
    text = re.sub(r"\sor\s(?:(?:for|of|in)\s)?an?\s(?:specific|given|particular)\s[\w ]+$", "", text)
    others = "|".join(re.escape(word) for name in left_out for word in words_of(name))
    return re.sub(rf"(?<=[>…])\s(?:and|or)\s(?:an?\s|the\s)?(?:{others})$", "", text) if others else text


def _with_phrases(text: str, values: Sequence[SaidValue]) -> str:
    """Append the words for values that the order has no place for; numbers of results come last."""
    letters = [each.slot for each in values if len(each.path) == 1 and not isinstance(each.value, bool)]
    others = [each for each in values if len(each.path) > 1 or isinstance(each.value, bool)]
    text, others = _thing_before_its_container(text, others)
    place, others = _place_in_file(text, others)
    phrases = [f"of {spoken_value(letters)}"] if letters else []
    amounts = [each for each in others if _is_amount(each)]
    phrases += [_phrase(each, text) for each in others if each not in amounts and not each.is_limit]
    # Amounts with nouns of their own are enumerated after one `with`.
    alone = [each for each in amounts if preposition(each.name) != "with"]
    together = [amount(each.name, each.slot) for each in amounts if each not in alone]
    phrases += [f"with {enumeration(together)}"] if together else []
    phrases += [f"{preposition(each.name)} {amount(each.name, each.slot)}" for each in alone]
    if text.startswith("search the ") and phrases and all(phrase.startswith("with ") for phrase in phrases):
        text = text.replace("search", "find", 1)
    named = [phrase for phrase in phrases if phrase.startswith("called ")] if place else []
    phrases = [*named, *place, *(phrase for phrase in phrases if phrase not in named)]
    if sum(phrase.startswith(_WITHOUT_WORDS) for phrase in phrases) > 1:
        raise UnspeakableError("several values have no words but the names of their parameters")
    if len(phrases) + len(amounts[1:]) > _MOST_PHRASES:
        raise UnspeakableError("there are too many values for a sentence")
    is_deletion = text.partition(" ")[0] in words().deleting_verbs
    thing = _NEW_THING.match(text) if makes_something(text) or is_deletion else None
    if thing:
        ends = [_phrase(each, text) for each in others if each.name in (["from"], ["to"])]
        own = [phrase for phrase in phrases if phrase.startswith(("called ", "of type ")) or phrase in ends]
        phrases = [phrase for phrase in phrases if phrase not in own]
        own.sort(key=lambda phrase: phrase in ends)
        head = re.sub(r"^(\w+) an? ", r"\1 the ", thing[0]) if is_deletion and own else thing[0]
        rest = re.sub(r"^ from the ", " in the ", text[thing.end() :]) if is_deletion and ends else text[thing.end() :]
        text = " ".join([head, *own]) + rest
    return " ".join([text, *phrases]) + "".join(f", at most {each.slot}" for each in others if each.is_limit)


def _thing_before_its_container(text: str, values: Sequence[SaidValue]) -> tuple[str, list[SaidValue]]:
    """Return an order with the thing of which the id follows, if another id is of what the thing is in."""
    ids = [each for each in values if each.name[-1] == "id" and len(each.name) > 1]
    things = [each for each in ids if not words().containers & set(each.owner)]
    if "<" in text or len(ids) != 2 or len(things) != 1:
        return text, list(values)
    return f"{text} for {things[0].slot_with_noun}", [each for each in values if each != things[0]]


def _place_in_file(text: str, values: Sequence[SaidValue]) -> tuple[list[str], list[SaidValue]]:
    """Return the words for a place in a file, such as `at B2 in the sheet Costs of a.xlsx`, and the other values."""
    files = [each for each in values if each.name[-1] in _FILE_NAMES]
    sheets = [each for each in values if each.name[-1] in _SHEETS]
    if len(files) != 1 or not (sheets or _SHEETS & set(re.findall(r"\w+", text))):
        return [], list(values)
    inside = [*(each for each in values if each.name[-1] in ("cell", "range")), *sheets]
    words_of_place = [*(_phrase(each, text) for each in inside), f"{'of' if sheets else 'in'} {files[0].slot}"]
    return [" ".join(words_of_place)], [each for each in values if each not in (*inside, *files)]


def _is_amount(value: SaidValue) -> bool:
    """Return whether a number is said with its noun, as no preposition says what it is."""
    if not is_number(value.value) or value.is_limit or value.is_referent or value.name[-1] == "id" or value.is_month:
        return False
    return has_own_words(value.name) or not (_forms(value.name) or set(value.name) <= words().vague)


def _forms(name: list[str]) -> list[str]:
    """Return the forms that introduce a value by the words of its name, the best first."""
    noun = name[-2] if name[-1] == "code" and len(name) > 1 else name[-1]
    forms = [form for names, form in words().directions if names & set(name)]
    return forms + [form for names, form in words().connectors if {noun, singular(noun)} & names]


def _phrase(value: SaidValue, text: str) -> str:
    """Return the words for one value behind an order."""
    name, verb = value.name, text.partition(" ")[0]
    if isinstance(value.value, bool):
        return _flag(name, is_set=value.value)
    if value.is_referent or (name[-1] == "id" and len(name) > 1):
        is_inside = bool(words().containers & set(value.owner)) and "<" in text
        return f"{'in' if is_inside else 'for'} {value.slot_with_noun}"
    if is_statement(value.value):
        return f"with {value.slot}"
    if value.name == ["path"] and is_directory(value.value) and not makes_something(text):
        return f"in {value.slot_with_noun}"
    is_file = value.name[-1] in _FILE_NAMES and not _REPOSITORY & set(name)
    if is_file and verb in words().searching_verbs | {"search"}:
        return f"in {value.slot}"
    if value.is_new_name and verb == "rename":
        return f"to {value.slot}"
    forms = _forms(name)
    if forms and {"time", "hour"} & set(name) and not re.match(r"[\d<]", str(value.value)):
        return f"for {value.slot}"
    if forms:
        return _introduced(forms[0], value, text)
    if set(name) <= words().vague or name[-1] in words().commands:
        raise UnspeakableError(f"nothing says what a {' '.join(name)} is")
    return f"{_WITHOUT_WORDS}{' '.join(name)} {value.slot}"


def _introduced(form: str, value: SaidValue, text: str) -> str:
    """Return a value with what introduces it: a search is for things that match it, and nobody says only a word."""
    verb = text.partition(" ")[0]
    if form != "for {}" or not (verb in words().searching_verbs or text.startswith("search for ")):
        return form.format(value.slot)
    if re.fullmatch(r"[a-z]+", str(value.value)):
        raise UnspeakableError("nobody searches for things that match a bare word")
    return f"matching {value.slot}"


def _flag(name: list[str], *, is_set: bool) -> str:
    first, rest = name[0], " ".join(name[1:])
    if first in words().flags and rest:
        return f"including {rest}" if is_set else f"without {rest}"
    return f"with {' '.join(name)}" if is_set else f"without {' '.join(name)}"
