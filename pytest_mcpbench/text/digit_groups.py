"""Numbers whose digits are in groups of three, written in one way."""

import re

_SEPARATORS = "\u00a0\u2007\u2009\u202f'’"
"""Separators that join only digits of one number; an ordinary space also stands between two numbers."""
CURRENCY_CODES = "USD|EUR|GBP|CHF|CNY|RMB"
_CURRENCY = rf"(?:US\$|[$€£¥]|(?:{CURRENCY_CODES})\b)"
_MONEY = rf"(?:{_CURRENCY}|(?:euros?|dollars?|pounds?|yuan|francs?)\b)"
_BEGIN, _END = r"(?<![\w.,'’])", r"(?![\d'’])"
_SPACE = "[ \u00a0\u2007\u2009\u202f]"
_GROUPS = re.compile(
    rf"{_BEGIN}\d{{1,3}}(?:[{_SEPARATORS}]\d{{3}})+{_END}"
    rf"|{_BEGIN}\d{{1,3}}(?: \d{{3}})+{_END}(?=(?:[.,]\d{{1,2}})?{_SPACE}?{_MONEY})"
    rf"|(?:(?<=[$€£¥])|(?<=(?:{CURRENCY_CODES}){_SPACE}))\d{{1,3}}(?: \d{{3}})+{_END}",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(rf"[{_SEPARATORS} ]")
_DECIMAL_COMMA = re.compile(r",(\d{1,2})(?!\d)")


def with_commas(text: str) -> str:
    """Return the text with commas between groups of digits: ``14,599.50`` for ``14 599,50 €`` and ``14'599.50``.

    Any kind of narrow or unbreakable space and an apostrophe separate groups; an ordinary space does in an amount of
    money.
    """
    parts: list[str] = []
    end = 0
    for match in _GROUPS.finditer(text):
        parts += [text[end : match.start()], _SEPARATOR.sub(",", match.group())]
        end = match.end()
        decimals = _DECIMAL_COMMA.match(text, end)
        if decimals:
            parts.append(f".{decimals[1]}")
            end = decimals.end()
    return "".join((*parts, text[end:]))
