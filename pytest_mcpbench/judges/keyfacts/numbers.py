"""Numbers as people write them: ``1,234.5``, ``12.3%``, ``$1.2 million``, ``half``, ``-18.4 %``, ``3rd``, ``3 h``."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from pytest_mcpbench.text.digit_groups import CURRENCY_CODES

# Units and currencies with their dimension and their size in it.

_TABLE = """
time second=1 sec=1 secs=1 s=1 minute=60 min=60 mins=60 hour=3600 hr=3600 hrs=3600 h=3600 std=3600
time day=86400 days=86400 week=604800
time seconds=1 minutes=60 hours=3600 weeks=604800 sekunde=1 sekunden=1 stunde=3600 stunden=3600 minuten=60 heures=3600 heure=3600
time tag=86400 tage=86400 tagen=86400 wochen=604800 woche=604800 小时=3600 分钟=60 秒=1 天=86400 周=604800 ms=0.001 millisecond=0.001 milliseconds=0.001
months month=1 months=1 year=12 years=12 yr=12 yrs=12 个月=1 年=12 jahr=12 jahre=12 jahren=12 monat=1 monate=1 an=12 ans=12 mois=1
length m=1 metre=1 metres=1 meter=1 meters=1 km=1000 kilometre=1000 kilometres=1000 kilometer=1000 kilometers=1000
length cm=0.01 centimetre=0.01 centimetres=0.01 centimeter=0.01 centimeters=0.01 mm=0.001 millimetre=0.001 millimetres=0.001 millimeters=0.001
length ft=0.3048 foot=0.3048 feet=0.3048 inch=0.0254 inches=0.0254 mile=1609.344 miles=1609.344 mi=1609.344 米=1 公里=1000 mètres=1 yd=0.9144 yards=0.9144
area m²=1 m2=1 sqm=1 qm=1 km²=1e6 km2=1e6 平方米=1 ha=1e4 hectares=1e4
mass kg=1000 kilogram=1000 kilograms=1000 kilogramm=1000 kilogrammes=1000 kilo=1000 kilos=1000 g=1 gram=1 grams=1 gramm=1 mg=0.001
mass lb=453.6 lbs=453.6 pounds=453.6 oz=28.35 ounce=28.35 ounces=28.35 tonne=1e6 tonnes=1e6 t=1e6 tons=907185 ton=907185 公斤=1000 克=1
volume l=1 litre=1 litres=1 liter=1 liters=1 ml=0.001 cl=0.01 gallon=3.785 gallons=3.785
power w=1 watt=1 watts=1 kw=1000
current a=1 ma=0.001 amp=1 amps=1 ampere=1 milliampere=0.001
bytes kb=1e3 mb=1e6 gb=1e9 tb=1e12
speed km/h=1 kmh=1 mph=1.609
celsius °c=1 celsius=1 ℃=1
fahrenheit °f=1 fahrenheit=1 ℉=1
point point=1 points=1
piece piece=1 pieces=1 pcs=1
EUR eur=1 euro=1 euros=1 €=1 欧元=1
USD usd=1 dollar=1 dollars=1 $=1 us$=1 美元=1
GBP gbp=1 £=1
CHF chf=1 franken=1
CNY cny=1 rmb=1 yuan=1 元=1 人民币=1 ¥=1
JPY jpy=1 yen=1 日元=1
"""


@dataclass(frozen=True)
class Unit:
    """Unit of a quantity."""

    dimension: str
    factor: float


def _units() -> dict[str, Unit]:
    table = {}
    for line in _TABLE.strip().splitlines():
        dimension, *entries = line.split()
        for entry in entries:
            name, _, factor = entry.rpartition("=")
            table[name] = Unit(dimension, float(factor))
    return table


UNITS = _units()
"""Units by their casefolded names."""

Agreement = Literal["same", "close", "other sign", "different"]
"""``same``: equal, or rounded by the answer. ``close``: within the tolerance of MCP-Atlas without being a rounding,
or equal where only one has a unit."""

_SCALES = {
    "k": 1e3,
    "thousand": 1e3,
    "m": 1e6,
    "mn": 1e6,
    "mio": 1e6,
    "million": 1e6,
    "b": 1e9,
    "bn": 1e9,
    "billion": 1e9,
    "trillion": 1e12,
    "万": 1e4,
    "亿": 1e8,
}
_FROM_ZERO = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_COUNTING = frozenset({*_FROM_ZERO.split(), *["seventeen", "eighteen", "nineteen"], *_TENS.split()})
_GERMAN = "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"
_FRENCH = "deux trois quatre cinq six sept huit neuf dix onze douze"
_UNITS_OF_TENS = {word: float(value) for value, word in enumerate(_FROM_ZERO.split()[1:10], 1)}
_WORDS = {
    **{word: float(value) for value, word in enumerate(_FROM_ZERO.split())},
    **{word: float(value) for value, word in enumerate(_GERMAN.split(), 2)},
    **{word: float(value) for value, word in enumerate(_FRENCH.split(), 2) if word != "six"},
    **{word: 10.0 * value for value, word in enumerate(_TENS.split(), 2)},
    **{
        f"{ten}-{one}": 10.0 * at + value
        for at, ten in enumerate(_TENS.split(), 2)
        for one, value in _UNITS_OF_TENS.items()
    },
    **{"seventeen": 17.0, "eighteen": 18.0, "nineteen": 19.0, "hundred": 100.0},
    **{"half": 0.5, "third of": 1 / 3, "quarter": 0.25, "two thirds": 2 / 3, "three quarters": 0.75, "dozen": 12.0},
    **{"once": 1.0, "twice": 2.0, "single": 1.0},
}  # fmt: skip
_CHINESE = {character: float(value) for value, character in enumerate("一二三四五六七八九十", 1)} | {"两": 2.0}
_FROM_FIRST = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_ORDINALS = {word: float(value) for value, word in enumerate(_FROM_FIRST.split(), 1)}
_UNIT = (
    r"(?:[kcm]?m[²2]?|sqm|km/h|mph|mi|ft|in|[km]?g|lbs?|oz|[cm]?l|hrs?|h|mins?|secs?|s|ms|[kmgt]b|w|kw|ma"
    r"|usd|eur|gbp|chf|cny|rmb|x)\b"
)
_CURRENCY = rf"(?:US\$|[$€£¥]|{CURRENCY_CODES})"
_DIGITS = re.compile(
    rf"(?<![A-Za-z0-9_.])(?P<sign>[-+]|minus\s)?(?P<currency>{_CURRENCY})?\s?"
    r"(?P<value>\d{1,3}(?:\.\d{3})+,\d{1,2}(?!\d)|\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<!\d,)\d+,\d{1,2}(?![\d,])"
    r"|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|\.\d+)"
    r"(?P<ordinal>st|nd|rd|th)?"
    r"(?:\s?(?P<percent>%|percent\b|per cent\b|percentage points?\b|pp\b|Prozent\b|pour cent\b)"
    r"|\s?(?P<scale>thousand|million|billion|trillion|mn|mio|bn|[kKmMbB](?![A-Za-z0-9_/²])|万|亿))?"
    rf"(?=(?i:{_UNIT})|(?![A-Za-z0-9_]|\.\d))"
)  # fmt: skip
_FRACTION = re.compile(r"(?<![\w./])(-|minus )?(\d{1,3})/(\d{1,3})(?![\w/])")
_ONE_THING = r"(?<!the )(?<!this )(?<!that )(?<!each )(?<!no )(?<!any )(?<!some )one(?! of\b| another\b)"
_SPELLED = "|".join(_ONE_THING if word == "one" else word for word in sorted(_WORDS, key=len, reverse=True))
_NAMED = re.compile(rf"\b(minus )?({_SPELLED}|{'|'.join(_ORDINALS)})\b", re.IGNORECASE)
_SMALL = {**_UNITS_OF_TENS, **{word: value for word, value in _WORDS.items() if word in _COUNTING}}
_MULTIPLES = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
_MULTIPLE = f"hundred|{'|'.join(_MULTIPLES)}"
_SMALL_WORD = "|".join(sorted(_SMALL, key=len, reverse=True))
_COMPOSED = re.compile(
    rf"\b(?:{_SMALL_WORD}|a)(?:-(?:{_SMALL_WORD}))? (?:{_MULTIPLE})"
    rf"(?:[ -](?:and )?(?:{_SMALL_WORD}|{_MULTIPLE})(?![\w']))*(?![\w'])",
    re.IGNORECASE,
)
_NAMED_CHINESE = re.compile(rf"([{''.join(_CHINESE)}])(?=个|年|天|小时|分钟|人|次|元|米|公|月)")
_SQUARE = re.compile(r"\s?(?:square (?:metre|meter)s?|Quadratmeter|mètres carrés)\b", re.IGNORECASE)
_DEGREES = re.compile(r"\s?(?:degrees?|Grad|°)\s?(?:(?P<scale>Celsius|Fahrenheit|C|F)\b)?", re.IGNORECASE)
_UNIT_BEHIND = re.compile(
    r"\s?(?:US (?=dollars?\b))?(?P<unit>US\$|[€$£¥]|km/h|[a-zA-Zµ°è]+[²2]?"
    "|[年天周秒米克元]|个月|小时|分钟|公里|公斤|平方米|欧元|美元|日元|人民币)"
)
_BELOW_ZERO = re.compile(r"\s?(?:°\s?C |C )?(?:below zero|unter null)", re.IGNORECASE)
_MONEY_BEHIND = re.compile(r"\s?(?:€|\$|Euro|EUR|Dollar|USD|Franken|CHF)", re.IGNORECASE)
_PARTNER = re.compile(r"\s?(?:to|or|and|-|–|bis|und|ou|oder|et|à|或)\s?$")

_GRAIN_OF_FRACTIONS = 1e-9
"""A fraction is exact."""

RELATIVE_TOLERANCE = 0.05
PERCENTAGE_POINTS = 1.0
"""5 % of a stated number, one point of a percentage (MCP-Atlas, judging protocol)."""


@dataclass(frozen=True)
class Number:
    """A number with its unit and the other information in its notation."""

    value: float
    text: str
    start: int = 0
    end: int = 0
    """End of the number with its unit."""
    is_percent: bool = False
    is_points: bool = False
    """Percentage points, which are also :attr:`is_percent`."""
    is_year: bool = False
    is_ordinal: bool = False
    grain: float = 1.0
    """Value of the last digit."""
    unit: Unit | None = None

    @property
    def dimension(self) -> str:
        """Return the kind of quantity; only numbers of one dimension can be compared."""
        return "percent" if self.is_percent else self.unit.dimension if self.unit else "number"

    def agreement(self, other: "Number", *, is_approximate: bool = False) -> Agreement:
        """Compare this number of a claim with a number of an answer."""
        converted = _in_dimension_of(self, other)
        if converted is None:
            lacks_unit = "number" in (self.dimension, other.dimension) and not (self.is_ordinal or other.is_ordinal)
            return "close" if lacks_unit and self.value == other.value else "different"
        mine = self.value * (self.unit.factor if self.unit else 1.0)
        theirs, grain = converted
        if _is_rounded(mine, theirs, grain) and self.is_ordinal == other.is_ordinal:
            return "same" if self.is_points == other.is_points else "close"
        is_near = abs(mine - theirs) <= self._tolerance(mine)
        if is_near and is_approximate and not (self.is_year or self.is_ordinal):
            return "same"
        if is_near and not self._is_count:
            return "close"
        return "other sign" if mine and _is_rounded(-mine, theirs, grain) else "different"

    @property
    def _is_count(self) -> bool:
        """Return whether the number must agree exactly: a count, a year, a rank or a part of a name."""
        return self.is_ordinal or (self.dimension == "number" and self.grain == 1.0)

    def _tolerance(self, mine: float) -> float:
        return PERCENTAGE_POINTS if self.is_percent else RELATIVE_TOLERANCE * abs(mine)


def _in_dimension_of(number: Number, other: Number) -> tuple[float, float] | None:
    """Return value and grain of the other number in the dimension of the first."""
    if number.dimension == other.dimension:
        factor = other.unit.factor if other.unit else 1.0
        return other.value * factor, other.grain * factor
    if number.is_percent and other.unit is None and abs(other.value) <= 1:
        return other.value * 100, other.grain * 100
    if other.is_percent and number.unit is None and abs(number.value) <= 1:
        return other.value / 100, other.grain / 100
    return None


def _is_rounded(exact: float, stated: float, grain: float) -> bool:
    """Return whether the stated value is the exact one, or the exact one rounded to the grain of the stated.

    Conversions of units leave an error in the last places; whole numbers of any length differ by at least one.
    """
    if abs(exact - stated) <= min(1e-9 * max(1.0, abs(exact)), 0.49):
        return True
    return abs(exact - stated) <= grain / 2 * 1.0001 and abs(exact - stated) <= RELATIVE_TOLERANCE * abs(exact)


def numbers(text: str) -> tuple[Number, ...]:
    """Return all numbers of a plain text, in digits and in words, in the order of their places."""
    found = (
        *(_in_digits(match) for match in _DIGITS.finditer(text)),
        *_fractions(text),
        *(_composed(match) for match in _COMPOSED.finditer(text)),
        *(_in_words(match) for match in _NAMED.finditer(text)),
        *(_in_chinese(match) for match in _NAMED_CHINESE.finditer(text)),
    )
    # A fraction begins like the number above its line.
    by_place = sorted(found, key=lambda number: (number.start, -number.end))
    units = [_with_unit(number, text) for number in by_place]
    return tuple(_with_unit_of_partner(_apart(units), text))


def _apart(found: Iterable[Number]) -> list[Number]:
    """Return the numbers that do not begin inside the one before them."""
    apart: list[Number] = []
    for number in found:
        if not apart or number.start >= apart[-1].end:
            apart.append(number)
    return apart


def _in_digits(match: re.Match[str]) -> Number:
    is_money = bool(match["currency"] or _MONEY_BEHIND.match(match.string, match.end()))
    digits = _digits(match["value"], is_money=is_money)
    scale = _scale(match)
    value = float(digits) * scale
    marks = (match["percent"], match["scale"], match["ordinal"], match["currency"])
    is_bare = not any(marks) and "." not in digits and "," not in match["value"]
    is_negative = (match["sign"] or "").strip() in ("-", "minus")
    return Number(
        value=-value if is_negative else value,
        text=match.group().strip(),
        start=match.start(),
        end=match.end(),
        is_percent=match["percent"] is not None,
        is_points=(match["percent"] or "").startswith(("percentage", "pp")),
        is_year=is_bare and 1500 <= value <= 2200,
        is_ordinal=match["ordinal"] is not None,
        grain=scale * 10.0 ** -len(digits.partition(".")[2].partition("e")[0]),
        unit=UNITS.get((match["currency"] or "").lower()),
    )


def _digits(written: str, *, is_money: bool) -> str:
    """Return a number with a decimal point and without separators of thousands."""
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d{1,2}", written):
        return written.replace(".", "").replace(",", ".")
    if is_money and re.fullmatch(r"\d{1,3}(?:\.\d{3})+", written):
        return written.replace(".", "")
    if re.fullmatch(r"\d+,\d{1,2}", written):
        return written.replace(",", ".")
    return written.replace(",", "").lower()


def _scale(match: re.Match[str]) -> float:
    """Return the factor of the scale word; ``5m`` and ``5b`` are metres and bits unless they are money."""
    scale = match["scale"] or ""
    if scale in ("m", "b") and not match["currency"]:
        return 1.0
    return _SCALES.get(scale.lower(), 1.0)


def _fractions(text: str) -> Iterator[Number]:
    for match in _FRACTION.finditer(text):
        if int(match[3]):
            value = int(match[2]) / int(match[3])
            signed = -value if match[1] else value
            yield Number(signed, match.group(), match.start(), match.end(), grain=_GRAIN_OF_FRACTIONS)


def _in_words(match: re.Match[str]) -> Number:
    word = match[2].lower()
    value = _ORDINALS.get(word, _WORDS.get(word, 0.0))
    signed = -value if match[1] else value
    return Number(signed, match.group(), match.start(), match.end(), is_ordinal=word in _ORDINALS)


def _composed(match: re.Match[str]) -> Number:
    """Return a number of several words: ``two hundred and five``, ``fourteen thousand``."""
    total = part = 0.0
    for word in re.split(r"[ -]", match.group().lower()):
        if word in _MULTIPLES:
            total, part = total + part * _MULTIPLES[word], 0.0
        elif word == "hundred":
            part *= 100
        elif word != "and":
            part += _SMALL.get(word, 1.0)
    return Number(total + part, match.group(), match.start(), match.end())


def _in_chinese(match: re.Match[str]) -> Number:
    return Number(_CHINESE[match[1]], match.group(), match.start(), match.end())


def _with_unit(number: Number, text: str) -> Number:
    if number.unit is not None or number.is_percent or number.is_ordinal:
        return number
    end, unit = _unit_at(text, number.end)
    if number.text.endswith("m") and unit is None:
        end, unit = number.end, UNITS["m"]
    below = _BELOW_ZERO.match(text, end)
    if below:
        return replace(number, unit=unit, end=below.end(), value=-abs(number.value))
    return replace(number, unit=unit, end=end, is_year=number.is_year and unit is None)


def _unit_at(text: str, start: int) -> tuple[int, Unit | None]:
    """Return the unit behind a number and its end."""
    square = _SQUARE.match(text, start)
    if square:
        return square.end(), UNITS["m²"]
    degrees = _DEGREES.match(text, start)
    if degrees and degrees["scale"]:
        return degrees.end(), UNITS["celsius" if degrees["scale"][0] in "cC" else "fahrenheit"]
    match = _UNIT_BEHIND.match(text, start)
    unit = UNITS.get(match["unit"].lower()) if match and match["unit"] not in ("a", "A", "an") else None
    return (match.end(), unit) if match and unit else (start, None)


def _with_unit_of_partner(found: list[Number], text: str) -> Iterator[Number]:
    """Give a number without a unit the one of the next: ``from 7 to 9 kg``."""
    for number, following in zip(found, [*found[1:], None], strict=False):
        between = text[number.end : following.start] if following else ""
        is_partner = following is not None and number.dimension == "number" and not number.is_ordinal
        if following and is_partner and _PARTNER.fullmatch(between):
            yield replace(number, unit=following.unit, is_percent=following.is_percent, is_year=False)
        else:
            yield number
