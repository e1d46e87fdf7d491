"""Parser of short mathematical expressions, plain or in LaTeX.

A parser of its own, because the others are no place for a model's text: sympy's ``parse_expr`` uses ``eval``, and its
LaTeX parser and ``math-verify`` need the ANTLR runtime and simplify while they read, for as long as that takes.
"""

import re
from dataclasses import dataclass

MOST_CHARACTERS = 300
"""Longer texts are not read."""

FUNCTIONS = {
    "sqrt": "sqrt",
    "exp": "exp",
    "ln": "ln",
    "log": "ln",
    "abs": "abs",
    **{name: name for name in ("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "floor", "ceil")},
    **{name: name.replace("arc", "a") for name in ("asin", "acos", "atan", "arcsin", "arccos", "arctan")},
}
CONSTANTS = {"pi": "pi", "π": "pi", "e": "e", "i": "i"}
_SYMBOLS = frozenset(
    {"alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "zeta", "eta", "theta", "vartheta", "iota", "kappa"}
    | {"lambda", "mu", "nu", "xi", "rho", "sigma", "tau", "phi", "varphi", "chi", "psi", "omega"}
    | {"infty", "oo", "infinity", "∞"}
)
_SAME_SYMBOL = {"oo": "infty", "infinity": "infty", "∞": "infty"}


class NotMathematicsError(ValueError):
    """Error for a text that is not a readable expression."""


@dataclass(frozen=True)
class Node:
    """One operation.

    ``number``, ``letter`` and ``constant`` have a text; ``call`` has a function's name as text and one operand;
    ``matrix`` has its number of columns as text and its cells, row by row; ``add``, ``multiply``, ``divide``,
    ``power``, ``negate``, ``factorial`` and ``equation`` have operands alone.
    """

    operation: str
    operands: tuple["Node", ...] = ()
    text: str = ""


def parse_expression(text: str) -> Node:
    """Parse an expression, an equation ``a = b`` or a matrix; raise :class:`NotMathematicsError` for other text."""
    if len(text) > MOST_CHARACTERS:
        raise NotMathematicsError(f"it is longer than {MOST_CHARACTERS} characters")
    rows = _rows(text)
    if rows is not None:
        if not rows[0] or len({len(row) for row in rows}) > 1:
            raise NotMathematicsError("its rows differ in length")
        return Node("matrix", tuple(parse_expression(cell) for row in rows for cell in row), str(len(rows[0])))
    for pattern, plain in _LATEX:
        text = re.sub(pattern, plain, text)
    return _Parser(_tokens(text.casefold())).whole()


def _rows(text: str) -> list[list[str]] | None:
    """Return the cells of a LaTeX matrix or of a list of lists, by row; ``None`` if the text is neither."""
    latex = re.fullmatch(r"\s*\\begin\{([pbBvV]?matrix)\}(.*)\\end\{\1\}\s*", text, re.DOTALL)
    if latex:
        rows = [row for row in re.split(r"\\\\", latex[2]) if row.strip()]
        return [row.split("&") for row in rows] or None
    plain = re.fullmatch(r"\s*\[\s*\[([^\[\]]*(?:\]\s*,\s*\[[^\[\]]*)*)\]\s*\]\s*", text)
    return [row.split(",") for row in re.split(r"\]\s*,\s*\[", plain[1])] if plain else None


_LATEX = (
    (r"\\(?:left|right|big|Big|displaystyle|limits)(?![a-zA-Z])", " "),
    (r"\\[,;:!> ]|\\q?quad(?![a-zA-Z])|(?<=\S)~", " "),
    (r"\\(?:d|t|c)frac(?![a-zA-Z])", r"\\frac"),
    (r"\\(?:cdot|times|ast)(?![a-zA-Z])|[·×∗]", "*"),
    (r"\\div(?![a-zA-Z])|÷", "/"),
    (r"\\(?:lvert|rvert|vert)(?![a-zA-Z])|\\\|", "|"),
    (r"\\(?:mathrm|operatorname|text|mathit|mathbf)\s*\{\s*([a-zA-Z]+)\s*\}", r" \1 "),
    (r"\\[{(\[]", "("),
    (r"\\[})\]]", ")"),
    (r"\*\*", "^"),
    (r"√", " sqrt "),
    (r"[−–]", "-"),
    (r"\$", " "),
)


_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?|\.\d+)|\\(?P<command>[a-z]+)|(?P<word>[a-zπ∞]+)|(?P<sign>[-+*/^_!=|(){}\[\]]))"
)


def _tokens(text: str) -> list[tuple[str, str]]:
    """Return pairs of kind (``number``, ``function``, ``constant``, ``letter``, ``frac``, ``sign``) and text."""
    found: list[tuple[str, str]] = []
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            raise NotMathematicsError(f"{text[position:].strip()[:10]!r} cannot be read")
        position = match.end()
        kind, token = str(match.lastgroup), str(match[str(match.lastgroup)])
        found += [(kind, token)] if kind in ("number", "sign") else _word_tokens(token, is_command=kind == "command")
    return found


def _word_tokens(word: str, *, is_command: bool) -> list[tuple[str, str]]:
    """Return the tokens of a word: a known name, a function before letters (``sinx``) or up to two letters."""
    if is_command and word == "frac":
        return [("frac", word)]
    for kind, known in (("function", FUNCTIONS), ("constant", CONSTANTS)):
        if word in known:
            return [(kind, known[word])]
    if word in _SYMBOLS:
        return [("letter", _SAME_SYMBOL.get(word, word))]
    prefix = next((name for name in sorted(FUNCTIONS, key=len, reverse=True) if word.startswith(name)), None)
    if prefix and len(word) - len(prefix) <= 2:
        return [("function", FUNCTIONS[prefix]), *_word_tokens(word[len(prefix) :], is_command=False)]
    if is_command or len(word) > 2:
        # Longer words are no product of letters: "cat" must not equal "act".
        raise NotMathematicsError(f"{word!r} is not a known name")
    return [("constant", CONSTANTS[letter]) if letter in CONSTANTS else ("letter", letter) for letter in word]


_CLOSING = {"(": ")", "[": "]", "{": "}"}


class _Parser:
    """Recursive descent over tokens; products may leave out their sign, ``^`` binds to the right."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens = tokens
        self._position = 0
        self._bars = 0

    def whole(self) -> Node:
        left = self._sum()
        if self._take("="):
            left = Node("equation", (left, self._sum()))
        if self._position < len(self._tokens):
            raise NotMathematicsError(f"{self._text!r} is not expected")
        return left

    @property
    def _kind(self) -> str:
        return self._tokens[self._position][0] if self._position < len(self._tokens) else "end"

    @property
    def _text(self) -> str:
        return self._tokens[self._position][1] if self._position < len(self._tokens) else ""

    def _take(self, sign: str) -> bool:
        if self._kind == "sign" and self._text == sign:
            self._position += 1
            return True
        return False

    def _require(self, sign: str) -> None:
        if not self._take(sign):
            raise NotMathematicsError(f"{sign!r} is missing")

    def _sum(self) -> Node:
        left = self._product()
        while True:
            if self._take("+"):
                left = Node("add", (left, self._product()))
            elif self._take("-"):
                left = Node("add", (left, Node("negate", (self._product(),))))
            else:
                return left

    def _product(self) -> Node:
        left = self._signed_factor()
        while True:
            if self._take("*"):
                left = Node("multiply", (left, self._signed_factor()))
            elif self._take("/"):
                left = Node("divide", (left, self._signed_factor()))
            elif self._begins_factor():
                left = Node("multiply", (left, self._power()))
            else:
                return left

    def _begins_factor(self) -> bool:
        if self._kind == "sign":
            return self._text in "([{" or (self._text == "|" and self._bars == 0)
        return self._kind != "end"

    def _signed_factor(self) -> Node:
        if self._take("-"):
            return Node("negate", (self._signed_factor(),))
        return self._signed_factor() if self._take("+") else self._power()

    def _power(self) -> Node:
        base = self._atom()
        while self._take("!"):
            base = Node("factorial", (base,))
        return Node("power", (base, self._signed_factor())) if self._take("^") else base

    def _atom(self) -> Node:
        kind, text = self._kind, self._text
        if kind == "sign":
            if text == "|":
                self._require("|")
                self._bars += 1
                inside = self._sum()
                self._require("|")
                self._bars -= 1
                return Node("call", (inside,), "abs")
            if text not in _CLOSING:
                raise NotMathematicsError(f"{text!r} is not expected")
            self._require(text)
            bars, self._bars = self._bars, 0
            inside = self._sum()
            self._require(_CLOSING[text])
            self._bars = bars
            return inside
        self._position += 1
        match kind:
            case "number":
                return Node("number", text=text)
            case "constant":
                return Node("constant", text=text)
            case "letter":
                return Node("letter", text=text + self._subscript())
            case "frac":
                return Node("divide", (self._argument(), self._argument()))
            case "function":
                return self._function(text)
        raise NotMathematicsError("it ends too early")

    def _subscript(self) -> str:
        """Return ``_1`` of ``x_1`` and ``x_{1}``; a subscript is part of the letter's name."""
        if not self._take("_"):
            return ""
        braced = self._take("{")
        name = ""
        while self._kind in ("number", "letter", "constant") and (braced or not name):
            name += self._text
            self._position += 1
        if braced:
            self._require("}")
        return f"_{name}"

    def _function(self, name: str) -> Node:
        if name == "sqrt" and self._take("["):
            degree = self._sum()
            self._require("]")
            return Node("power", (self._argument(), Node("divide", (Node("number", text="1"), degree))))
        base = self._argument() if name == "ln" and self._take("_") else None
        exponent = self._argument() if self._take("^") else None
        if name == "sqrt" or (self._kind == "sign" and self._text in "([{|"):
            argument = self._argument()
        else:
            # ``sin 2x`` is the sine of ``2x``.
            argument = self._power()
            while self._kind in ("number", "letter", "constant", "frac"):
                argument = Node("multiply", (argument, self._power()))
        result = Node("call", (argument,), name)
        if base is not None:
            result = Node("divide", (result, Node("call", (base,), name)))
        return result if exponent is None else Node("power", (result, exponent))

    def _argument(self) -> Node:
        """Return a group, or the one thing that stands there."""
        before = self._tokens[max(0, self._position - 2) : self._position]
        # Of a number without braces LaTeX takes one digit.
        if self._kind == "number" and len(self._text) > 1 and any(kind == "frac" for kind, _ in before):
            first, rest = self._text[0], self._text[1:]
            self._tokens[self._position : self._position + 1] = [("number", first), ("number", rest)]
        if self._take("-"):
            return Node("negate", (self._atom(),))
        return self._atom()
