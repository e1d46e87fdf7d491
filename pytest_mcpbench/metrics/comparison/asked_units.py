"""Answers that repeat what the request asks for: ``618 m`` where it says *in metres*, ``76 bottles`` for *how many*."""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from pytest_mcpbench.metrics.comparison.answers import parse_number, unwrap
from pytest_mcpbench.text.late_pattern import late_pattern
from pytest_mcpbench.text.numbers import without_separators
from pytest_mcpbench.text.vocabulary import UNITS, numbers_of
from pytest_mcpbench.text.words import stem

_LONGEST = 80
"""Characters of an answer that is a number with a unit."""


@dataclass(frozen=True)
class _Measure:
    """A unit: the powers of dimensions that it measures, and its size in their first units."""

    powers: frozenset[tuple[str, int]]
    factor: Fraction


def _measure(factor: str, **powers: int) -> _Measure:
    return _Measure(frozenset(powers.items()), Fraction(factor))


_COMPOSED = {
    "area": _measure("1", length=2),
    "volume": _measure("1/1000", length=3),
    "speed": _measure("5/18", length=1, time=-1),
}
"""Dimensions of the table of units that are powers of others, with the size of their first unit."""
_FURTHER = {
    "°": _measure("1", angle=1),
    "degree": _measure("1", angle=1),
    "rad": _measure("57.29577951308232", angle=1),
    "radian": _measure("57.29577951308232", angle=1),
    "nautical mile": _measure("1852", length=1),
    "%": _measure("1", percent=1),
    "hz": _measure("1", frequency=1),
    "khz": _measure("1e3", frequency=1),
    "mhz": _measure("1e6", frequency=1),
    "kwh": _measure("1e3", energy=1),
    "kilowatt hour": _measure("1e3", energy=1),
    "mwh": _measure("1e6", energy=1),
    "megawatt hour": _measure("1e6", energy=1),
    "gwh": _measure("1e9", energy=1),
    "gigawatt hour": _measure("1e9", energy=1),
}
"""Units of answers; numbers in prose have others, there 20 degrees are mostly a temperature."""
_SHARE = _FURTHER["%"].powers
_SCALES = {word: Fraction(str(size)) for word, size in numbers_of("scales", "en").items() if len(word) > 2}
_NAMELESS = {
    "unit": r"\b(?:length|long|far|distance|perimeter|radius|side|height)\b",
    "square unit": r"\b(?:area|square units?)\b",
    "cubic unit": r"\b(?:volume|cubic units?)\b",
}
"""Units of figures without a scale, and what a request for a number of them speaks of."""


def same_asked_number(reference: str, answer: str, request: str, results: Sequence[str] = ()) -> bool:
    """Return whether both are one number, with or without the unit or the things that the request asks for.

    A unit is converted to the one of its kind that the request names. Other words must be the things that it counts
    (*how many …*, *in …*) or stand behind the same number in a result.
    """
    numbers = [_asked_number(text, request, results) for text in (reference, answer)]
    return None not in numbers and numbers[0] == numbers[1]


def without_asked_name(answer: str, request: str) -> str:
    """Return an answer without the ``f'(3) =`` in front of it, if the request asks for that and does not define it."""
    name, sign, value = answer.partition("=")
    asked = r"\s*".join(re.escape(each) for each in unwrap(name) if not each.isspace())
    is_asked = bool(sign and asked) and re.search(rf"(?<!\w){asked}(?!\w|\s*=)", request.replace("’", "'")) is not None
    return value.strip() if is_asked and not value.startswith("=") else answer


def _asked_number(text: str, request: str, results: Sequence[str]) -> Fraction | None:
    text = re.sub(r"^[A-Za-z]\s*=\s*(?!=)| old$", "", unwrap(text))
    if re.search(r"\b(?:decimals?|round(?:ed)?|nearest)\b", request, re.IGNORECASE):
        text = re.sub(r"^\s*[≈~]\s*", "", text)
    aside = re.search(r"\s*\(([^()\d]*)\)$", text)
    if aside and set(_stems(aside[1]).split()) <= set(_stems(request).split()):
        text = text[: aside.start()]
    found = _number_and_unit(text) if len(text) <= _LONGEST else None
    if found is None:
        return parse_number(text)
    number, written, unit = found
    # The last question with what follows it; of a request without one, the last sentence of some length.
    sentences = re.split(r"(?<=[.?!])\s+", request.strip())
    asking = [at for at, sentence in enumerate(sentences) if "?" in sentence]
    told = [at for at, sentence in enumerate(sentences) if len(sentence.split()) > 5]
    asked = " ".join(sentences[(asking or told or [0])[-1] :])
    scale, name = _without_scale(unit)
    if not name:
        return number if unit.casefold() in asked.casefold() else number * scale
    measures = tuple(_measures(name))
    for measure in measures if _may_be_asked(measures, asked) else ():
        wanted = _asked_factor(measure, asked) or _asked_factor(measure, request)
        if wanted is not None:
            return number * scale * measure.factor / wanted
    things = tuple(_counted_things(asked)) if not measures or name == "$" else ()
    for counted_scale, counted in map(_without_scale, things):
        if f" {_stems(name)} " in f" {_stems(counted)} ":
            return number * scale / counted_scale
    is_dollar_sign = unit == "$" and not things and not any(_units_in(request, currencies=True))
    if is_dollar_sign or _is_unit_of_figure(name, request):
        return number * scale
    behind = rf"(?<![\w.]){re.escape(without_separators(written))}\s?{re.escape(unit)}(?!\w)"
    is_stated = any(re.search(behind, without_separators(each), re.IGNORECASE) for each in results)
    return number if is_stated else None


def _is_unit_of_figure(name: str, request: str) -> bool:
    """Return whether a name is that of units without a scale, and the request is about a figure that they measure."""
    subject = _NAMELESS.get(name.casefold().removesuffix("s"))
    return subject is not None and re.search(subject, request, re.IGNORECASE) is not None


def _number_and_unit(text: str) -> tuple[Fraction, str, str] | None:
    """Return the number, its text and the words behind it, or the currency in front of it."""
    front = re.match(r"\s*(?P<sign>[-+]?)(?P<unit>US\$|[$€£¥]|[A-Z]{3}(?![A-Z])) ?(?=\d)", text)
    rest = front["sign"] + text[front.end() :] if front else text.strip()
    for end in range(len(rest), 0, -1):
        number, behind = parse_number(rest[:end].rstrip()), rest[end:]
        if number is not None:
            unit = front["unit"] if front else behind.strip(" ()")
            is_whole = bool(unit) and not (front and behind) and not re.match(r"[\d.,/^*+=-]", behind)
            return (number, rest[:end].strip(), unit) if is_whole else None
    return None


# Units in the request.

_NAMES = {*UNITS, *_FURTHER, *(f"{name}s" for name in _FURTHER if len(name) > 3), "pound", "pounds"}
_LONG, _SHORT = (
    "|".join(
        sorted((re.escape(name) for name in _NAMES if (len(name) > 2 or not name.isalpha()) == is_long), key=len)[::-1]
    )
    for is_long in (True, False)
)
_POWERS = {"square": 2, "sq": 2, "sq.": 2, "cubic": 3, "2": 2, "3": 3, "²": 2, "³": 3}
_POWER = r"(?:square|sq\.?|cubic) "
_IN_TEXT = late_pattern(
    rf"(?<!\w)(?:(?:{'|'.join(_SCALES)}) )?"
    rf"(?:{_POWER})?(?:{_LONG}|(?:(?<=\d )|(?<=\bin )|(?<=\())(?:{_SHORT}))(?:\^?[23²³])?"
    rf"(?:(?:/| per )(?:{_LONG}|{_SHORT}))?(?!\w)"
)
_ASKED = re.compile(r"\b(?:in|how many|how much)(?: \w+)? ?$")
"""Words in front of the unit in which an answer is wanted."""
_PERCENT = re.compile(r"per ?cent\b|percentage(?: points?)?\b|\bpp\b")


def _units_in(text: str, *, currencies: bool = False) -> Iterator[tuple[_Measure, str]]:
    """Yield each unit that a text names, with the text in front of it; only ``currencies`` if wanted."""
    plain = _PERCENT.sub("%", text.casefold())
    for match in _IN_TEXT.finditer(plain):
        scale, name = _without_scale(match.group())
        for measure in _measures(name):
            if not currencies or all(dimension.isupper() for dimension, _ in measure.powers):
                yield _Measure(measure.powers, measure.factor * scale), plain[: match.start()]


def _may_be_asked(measures: Sequence[_Measure], asked: str) -> bool:
    """Return whether the request asks for units of such a kind, or does not say in which."""
    wanted = {other.powers for other, front in _units_in(asked) if _ASKED.search(front)}
    if any(measure.powers == _SHARE for measure in measures):
        # A request that is about shares may ask for one between 0 and 1.
        return any(other.powers == _SHARE for other, _ in _units_in(asked))
    return not wanted or not wanted.isdisjoint(measure.powers for measure in measures)


def _asked_factor(measure: _Measure, text: str) -> Fraction | None:
    """Return the size of the only unit of the measure's kind in a text, or the only one behind *in* or *how many*."""
    found = [(other.factor, front) for other, front in _units_in(text) if other.powers == measure.powers]
    asked = [factor for factor, front in found if _ASKED.search(front)]
    factors = {factor for factor, _ in found} if len({factor for factor, _ in found}) == 1 else set(asked)
    return factors.pop() if len(factors) == 1 else None


def _measures(name: str) -> Iterator[_Measure]:
    """Yield what a unit can be: a pound is a weight and a currency."""
    plain = re.sub(r" per ", "/", _PERCENT.sub("%", name.casefold()))
    for parts in itertools.product(*(tuple(_simple_measures(part.strip())) for part in plain.split("/"))):
        powers = Counter(dict(parts[0].powers))
        for part in parts[1:]:
            powers.subtract(dict(part.powers))
        factor = parts[0].factor / prod(part.factor for part in parts[1:])
        yield _Measure(frozenset((each, power) for each, power in powers.items() if power), factor)


def _simple_measures(name: str) -> Iterator[_Measure]:
    match = re.fullmatch(rf"(?P<front>{_POWER})?(?P<name>.+?)(?:\^?(?P<behind>[23²³]))?", name)
    exponent = (
        _POWERS[(match["front"] or match["behind"] or "").strip()]
        if match and (match["front"] or match["behind"])
        else 1
    )
    for written in dict.fromkeys((name, match["name"] if match else name)):
        found = []
        if further := _FURTHER.get(written) or _FURTHER.get(written.removesuffix("s")):
            found.append(further)
        elif unit := UNITS.get(written):
            base = _COMPOSED.get(unit.dimension) or _Measure(frozenset({(unit.dimension, 1)}), Fraction(1))
            found.append(_Measure(base.powers, base.factor * Fraction(str(unit.factor))))
        if written in ("pound", "pounds"):
            found.append(_measure("1", GBP=1))
        power = exponent if written != name else 1
        for one in found:
            yield _Measure(frozenset((each, own * power) for each, own in one.powers), one.factor**power)


# Other things that the request counts.


def _counted_things(asked: str) -> Iterator[str]:
    """Yield the words behind *how many* and *number of* or, without these, behind each *in*."""
    words = r"(?:(?!of )[\w'’]+ ?){1,%d}"
    many = r"\b(?:how (?:many|much)(?: more| fewer)?|number of)(?: of)?(?: (?:the|these|those))?"
    found = re.findall(rf"{many} ({words % 4})", asked, re.IGNORECASE)
    found += re.findall(rf"\bof (?:the|these|those) ({words % 2}).*, how many\b", asked, re.IGNORECASE)
    yield from found or re.findall(rf"\bin (?:these |whole )?({words % 2})", asked, re.IGNORECASE)


def _stems(text: str) -> str:
    return " ".join(stem(word) for word in re.findall(r"[^\W\d_]+", re.sub(r"['’]s?\b", "", text.casefold())))


def _without_scale(text: str) -> tuple[Fraction, str]:
    """Return the product of words such as *million*, and the other words."""
    words = text.split()
    scale = prod((_SCALES.get(word.casefold(), Fraction(1)) for word in words), start=Fraction(1))
    return scale, " ".join(word for word in words if word.casefold() not in _SCALES)
