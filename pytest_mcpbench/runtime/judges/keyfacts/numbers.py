"""Numbers as people write them: ``1,234.5``, ``12.3%``, ``$1.2 million``, ``half``, ``-18.4 %``, ``3rd``."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

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
_WORDS = {
    **{word: float(value) for value, word in enumerate(_FROM_ZERO.split())},
    **{"seventeen": 17.0, "eighteen": 18.0, "nineteen": 19.0, "twenty": 20.0, "thirty": 30.0, "forty": 40.0},
    **{"fifty": 50.0, "sixty": 60.0, "seventy": 70.0, "eighty": 80.0, "ninety": 90.0, "hundred": 100.0},
    **{"half": 0.5, "third of": 1 / 3, "quarter": 0.25, "two thirds": 2 / 3, "three quarters": 0.75, "dozen": 12.0},
    **{"once": 1.0, "twice": 2.0, "single": 1.0},
}
_FROM_FIRST = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_ORDINALS = {word: float(value) for value, word in enumerate(_FROM_FIRST.split(), 1)}
_UNIT = r"(?:[kcm]?m|km/h|mph|mi|ft|in|[km]?g|lbs?|oz|[cm]?l|hrs?|h|mins?|secs?|s|ms|[kmgt]b|usd|eur|gbp|cny|rmb|x)\b"
_DIGITS = re.compile(
    r"(?<![A-Za-z0-9_.])(?P<sign>[-+])?(?P<currency>[$€£¥]|USD|EUR)?\s?"
    r"(?P<value>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|\.\d+)"
    r"(?P<ordinal>st|nd|rd|th)?"
    r"(?:\s?(?P<percent>%|percent\b|per cent\b|percentage points?\b|pp\b)"
    r"|\s?(?P<scale>thousand|million|billion|trillion|mn|mio|bn|[kKmMbB](?![A-Za-z0-9_/])|万|亿))?"
    rf"(?=(?i:{_UNIT})|(?![A-Za-z0-9_]|\.\d))"
)
_FRACTION = re.compile(r"(?<![\w./])(\d{1,3})/(\d{1,3})(?![\w/])")
_ONE_THING = r"(?<!the )(?<!this )(?<!that )(?<!each )(?<!no )(?<!any )(?<!some )one(?! of\b| another\b)"
_SPELLED = "|".join(_ONE_THING if word == "one" else word for word in sorted(_WORDS, key=len, reverse=True))
_NAMED = re.compile(rf"\b({_SPELLED}|{'|'.join(_ORDINALS)})\b", re.IGNORECASE)
_DOWN = re.compile(
    r"\b(decreas|declin|drop|fell|fall|down|lower|less|reduc|loss|lost|minus|negative|shr[aiu]nk)", re.IGNORECASE
)

RELATIVE_TOLERANCE = 0.05
PERCENTAGE_POINTS = 1.0
"""5 % of a stated number, one point of a percentage (MCP-Atlas, judging protocol)."""

_FINE_TOLERANCE = 0.001
"""For numbers with four or more decimals: coordinates and measurements are meant exactly."""


@dataclass(frozen=True)
class Number:
    """A number with what its notation says of it."""

    value: float
    text: str
    is_percent: bool = False
    is_year: bool = False
    is_ordinal: bool = False
    decimals: int = 0

    def is_met_by(self, other: "Number", *, ignoring_sign: bool = False) -> bool:
        """Whether another number says the same within the tolerance."""
        return any(self._is_near(value, ignoring_sign=ignoring_sign) for value in self._readings(other))

    def _readings(self, other: "Number") -> Iterator[float]:
        """The other number in this one's notation: a percentage is also a share of one."""
        if self.is_percent and not other.is_percent:
            yield other.value * 100
            yield other.value
        elif other.is_percent and not self.is_percent:
            yield other.value / 100
            yield other.value
        else:
            yield other.value

    def _is_near(self, value: float, *, ignoring_sign: bool) -> bool:
        mine, other = (abs(self.value), abs(value)) if ignoring_sign else (self.value, value)
        return abs(mine - other) <= self._tolerance + 1e-9 * abs(mine)

    @property
    def _tolerance(self) -> float:
        if self.is_year or self.is_ordinal:
            return 0.0
        if self.is_percent:
            return PERCENTAGE_POINTS
        return (_FINE_TOLERANCE if self.decimals >= 4 else RELATIVE_TOLERANCE) * abs(self.value)


def numbers(text: str) -> tuple[Number, ...]:
    """All numbers of a plain text, in digits and in words."""
    return (*map(_in_digits, _DIGITS.finditer(text)), *_fractions(text), *map(_in_words, _NAMED.finditer(text)))


def means_a_fall(text: str) -> bool:
    """Whether a text speaks of a decrease, so that a positive number in it may mean a negative change."""
    return bool(_DOWN.search(text))


def _in_digits(match: re.Match[str]) -> Number:
    digits = match["value"].replace(",", "")
    value = float(digits) * _scale(match)
    marks = (match["percent"], match["scale"], match["ordinal"], match["currency"])
    is_bare = not any(marks) and "." not in digits and "," not in match["value"]
    return Number(
        value=-value if match["sign"] == "-" else value,
        text=match.group().strip(),
        is_percent=match["percent"] is not None,
        is_year=is_bare and 1500 <= value <= 2200,
        is_ordinal=match["ordinal"] is not None,
        decimals=len(digits.partition(".")[2]),
    )


def _scale(match: re.Match[str]) -> float:
    """What the number is multiplied by; ``5m`` and ``5b`` are metres and bits unless they are money."""
    scale = match["scale"] or ""
    if scale in ("m", "b") and not match["currency"]:
        return 1.0
    return _SCALES.get(scale.lower(), 1.0)


def _fractions(text: str) -> Iterator[Number]:
    for match in _FRACTION.finditer(text):
        if int(match[2]):
            yield Number(int(match[1]) / int(match[2]), match.group(), decimals=2)


def _in_words(match: re.Match[str]) -> Number:
    word = match.group().lower()
    if word in _ORDINALS:
        return Number(_ORDINALS[word], match.group(), is_ordinal=True)
    return Number(_WORDS[word], match.group())
