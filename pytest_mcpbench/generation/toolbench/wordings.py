"""Wordings of an argument that find the same: names of a place or a city, words for what is looked for.

A source file writes ``{place: Louvre}``, ``{found: Louvre}``, ``{city: Madrid}``, ``{find: farmacia, in: Madrid}`` or
``{find: café, near: Paris}`` in place of a text, and for a search of the web ``{query: Bellmar ferry timetable, about:
[Bellmar, ferry/boat]}``: a query with a word of each of these groups is right, whatever else it says; ``after:
{find: …, in: …}`` says that the words are the name of a place that this search finds. ``{element:
'#add', on: 'https://…'}`` stands for the selectors of one element of a page, ``{passage: 'theme: amber', with: amber}``
for a passage of a file, ``{one_of: […]}`` and ``{any_order: […]}`` for values that are as right. The reference plays
what is written there; each further wording is accepted only if the world of the servers gives the same for it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import permutations, product
from types import MappingProxyType
from typing import Any, NamedTuple

from pytest_mcpbench.simulated.browser import sites
from pytest_mcpbench.simulated.browser.document import PageElement, select_first
from pytest_mcpbench.simulated.maps import geography
from pytest_mcpbench.simulated.maps.places import City
from pytest_mcpbench.simulated.search import index

_BETWEEN = r"[\s,.，、·'’«»\"-]"
"""Marks that may stand between the words of a text."""
_FILLERS = (
    *("the", "a", "an", "of", "in", "at", "for", "to", "and", "on", "about", "near"),
    *("le", "la", "les", "l", "un", "une", "de", "du", "des", "d", "à", "au", "aux", "en", "dans", "et", "pour", "sur"),
    *("el", "los", "las", "del", "y", "para", "sobre", "por"),
    *("в", "на", "и", "по", "для", "о", "у", "г", "город", "городе", "的", "在", "和"),
)
"""Words without a meaning of their own, which may stand anywhere in what is looked for."""

_LONGEST_QUERY = 90
_WIDEST_PASSAGE = 200
"""Characters on each side of the words that a passage must have."""


class Wording(NamedTuple):
    """What the reference plays for an argument, and the values that are as right."""

    example: Any
    accepted: Mapping[str, Any]
    """A matcher of the task format, without its place."""


def wording(value: Any) -> Wording | None:
    """Return what a value of a source file stands for; ``None`` for a plain value. Raises ``ValueError``."""
    maker = _MAKERS.get(frozenset(value)) if isinstance(value, Mapping) else None
    return maker(value) if maker else None


def _place(value: Mapping[str, Any]) -> Wording:
    """Return a wording for a place that the request names (``place``) or a result tells (``found``).

    Its address and its coordinates, latitude first, lead there as well: results tell them.
    """
    (text,) = value.values()
    spot = geography.locate(text)
    if spot is None or spot.place is None or spot.city is None:
        raise ValueError(f"no map has a place {text!r}")
    is_name = any(name.casefold() in text.casefold() for name in spot.place.names)
    addresses = [*([] if is_name else [text]), spot.place.address]
    # An address is looked up by its words alone; a name is found among other words.
    strict = [rf"{_flexible(each)}(?:{_BETWEEN}+{_flexible(spot.city.country)})?{_BETWEEN}*" for each in addresses]
    named = [(name, geography.locate(name)) for name in (text, *spot.place.names)] if is_name else []
    names = [name for name, found in named if found is not None and found.place == spot.place]
    address = (spot.place.address, *re.findall(r"\w+", spot.place.address))
    beside = [*spot.city.names, spot.city.country, *address, *geography.words_for(spot.place.kind)]
    loose = [_all_of([names], beside=beside)] if names else []
    point = re.escape(f"{spot.point.latitude},") + r"\s*" + re.escape(f"{spot.point.longitude}")
    pattern = f"(?i)(?:{'|'.join([*loose, *strict, point])})"
    return Wording(text, {"regex": pattern})


def _city(value: Mapping[str, Any]) -> Wording:
    city = _known_city(value["city"])
    names = [value["city"], *(name for name in (*city.names, city.adcode) if name != value["city"])]
    return Wording(value["city"], {"one_of": names})


def _found_in(value: Mapping[str, Any]) -> Wording:
    """Return a wording for what is looked for in a city that the text must name."""
    city = _known_city(value["in"])
    return _search(f"{value['find']} {value['in']}", value["find"], city, must_name_city=True)


def _found_near(value: Mapping[str, Any]) -> Wording:
    """Return a wording for what is looked for around a point of a city, which the text may name."""
    return _search(value["find"], value["find"], _known_city(value["near"]), must_name_city=False)


def _search(example: str, sought: str, city: City, *, must_name_city: bool) -> Wording:
    ids = _ids(sought, city)
    if not ids:
        raise ValueError(f"no map has {sought!r} in {city.names[0]}")
    words = [word for word in dict.fromkeys([sought, *geography.kind_words()]) if _ids(word, city) == ids]
    pattern = _all_of([words, *([city.names] if must_name_city else [])], beside=city.names)
    return Wording(example, {"regex": f"(?i){pattern}"})


def _query(value: Mapping[str, Any]) -> Wording:
    """Return a wording for a search of the web: one that leads to the same site."""
    groups = [str(group).split("/") for group in value["about"]]
    for words in product(*groups):
        if site_found(" ".join(words)) != site_found(value["query"]):
            raise ValueError(f"a search for {' '.join(words)!r} leads to another site than {value['query']!r}")
    demanded = "".join(rf"(?=.*{_any_of(group)})" for group in groups)
    return Wording(value["query"], {"regex": rf"(?is){demanded}.{{1,{_LONGEST_QUERY}}}"})


def _element(value: Mapping[str, Any]) -> Wording:
    """Return a wording for the selector of an element: by tag and attributes, or by what a link or a button shows."""
    page = sites.document(value["on"])
    element = select_first(page, value["element"])
    if element is None:
        raise ValueError(f"{value['on']} has no element {value['element']!r}")
    found = [pattern for selector, pattern in _selectors(element) if select_first(page, selector) is element]
    form = element.ancestor("form")
    within = rf"(?:(?:form)?(?:{re.escape('#' + form.attributes['id'])})? (?:> )?)?" if form else ""
    tag = rf"|{within}{element.tag}" if select_first(page, element.tag) is element else ""
    pattern = rf"(?:{within}(?:{element.tag})?(?:{'|'.join(found)}){tag}|{_shown(element, page)})"
    if re.fullmatch(pattern, value["element"]) is None:
        raise ValueError(f"{value['element']!r} is not how a reader of {value['on']} selects that element")
    return Wording(value["element"], {"regex": pattern})


def _selectors(element: PageElement) -> Iterator[tuple[str, str]]:
    """Yield a selector for each telling attribute of an element, with a pattern for the ways to write it."""
    for name in ("id", "name", "href", "type"):
        text = element.attributes.get(name)
        if text is not None:
            yield f"{element.tag}[{name}={text}]", rf"\[{name}=[\"']?{re.escape(text)}[\"']?\]"
    if "id" in element.attributes:
        yield f"#{element.attributes['id']}", re.escape(f"#{element.attributes['id']}")
    for name in element.attributes.get("class", "").split():
        yield f"{element.tag}.{name}", re.escape(f".{name}")


def _shown(element: PageElement, page: PageElement) -> str:
    """Return a pattern for the selectors by the text of a link or a button; one that matches nothing for the others.

    Another element may show the text first, so that the selector by the text alone leads there.
    """
    text = rf"\W*{_flexible(element.text)}\W*"
    patterns = {
        f"text={element.text}": f"text={text}",
        f'{element.tag}:has-text("{element.text}")': rf"{element.tag}:has-text\([\"']{text}[\"']\)",
    }
    tried = patterns.items() if element.tag in ("a", "button") else ()
    found = [pattern for selector, pattern in tried if select_first(page, selector) is element]
    return f"(?i:{'|'.join(found)})" if found else "(?!)"


def _passage(value: Mapping[str, Any]) -> Wording:
    """Return a wording for a passage of a file with certain words; what the edit leads to is judged by the file."""
    words, around = value["with"], f"(?s:.{{0,{_WIDEST_PASSAGE}}})"
    start = "" if _CHINESE.match(words[0]) else f"(?<!{_SPACED_LETTER})"
    end = "" if _CHINESE.match(words[-1]) else f"(?!{_SPACED_LETTER})"
    return Wording(value["passage"], {"regex": f"{around}{start}{re.escape(words)}{end}{around}"})


def site_found(query: str) -> str:
    """Return the host of the page that a search of the web finds first. Raises ``ValueError``."""
    pages = index.web().search(query)
    if not pages:
        raise ValueError(f"a search for {query!r} finds nothing")
    return str(sites.host_of(pages[0].url))


_MAKERS: Mapping[frozenset[str], Callable[[Mapping[str, Any]], Wording]] = MappingProxyType(
    {
        frozenset({"place"}): _place,
        frozenset({"found"}): _place,
        frozenset({"city"}): _city,
        frozenset({"find", "in"}): _found_in,
        frozenset({"find", "near"}): _found_near,
        frozenset({"query", "about"}): _query,
        frozenset({"query", "about", "after"}): _query,
        frozenset({"element", "on"}): _element,
        frozenset({"passage", "with"}): _passage,
        frozenset({"one_of"}): lambda value: Wording(value["one_of"][0], {"one_of": [*value["one_of"]]}),
        frozenset({"any_order"}): lambda value: Wording(
            [*value["any_order"]], {"one_of": [[*each] for each in permutations(value["any_order"])]}
        ),
    }
)


def _known_city(name: str) -> City:
    city = geography.find_city(name)
    if city is None:
        raise ValueError(f"no map has a city {name!r}")
    return city


def _ids(sought: str, city: City) -> list[str]:
    return [place.id for place in geography.find_places(sought, city.names[0])]


def _all_of(groups: Sequence[Sequence[str]], beside: Iterable[str]) -> str:
    """Return a pattern for texts with a word of each group, and no others than these, those beside and fillers."""
    demanded = "".join(rf"(?=.*{_any_of(group)})" for group in groups)
    known = _any_of([*(word for group in groups for word in group), *beside, *_FILLERS])
    return rf"{demanded}(?:{_BETWEEN}|{known})+"


def _any_of(words: Iterable[str]) -> str:
    """Return a pattern for one of the words; those of letters stand alone, Chinese ones need no space around them."""
    longest_first = sorted(dict.fromkeys(words), key=len, reverse=True)
    chinese = [_flexible(word) for word in longest_first if _CHINESE.search(word)]
    others = "|".join(_flexible(word) for word in longest_first if not _CHINESE.search(word))
    alone = [rf"(?<!\w)(?:{others})(?!\w)"] if others else []
    return f"(?:{'|'.join([*chinese, *alone])})"


_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_SPACED_LETTER = r"[^\W\u4e00-\u9fff]"
"""A character of the words that stand between spaces, which Chinese ones do not."""


def _flexible(text: str) -> str:
    """Return a pattern for a text in which other marks may stand between the words."""
    return rf"{_BETWEEN}*".join(map(re.escape, re.findall(r"\w+", text)))
