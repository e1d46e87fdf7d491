"""Removal of secrets from text and JSON: configured values in all their encodings, and known shapes of keys."""

import base64
import html
import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import quote, quote_plus

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

from pytest_mcpbench.text.normal_forms import without_surrogates

# Known shapes of keys and tokens, which are secrets even if nobody has configured them.


@dataclass(frozen=True)
class KeyShape:
    """Shape of one kind of key."""

    kind: str
    """Name in the replacement."""
    anchors: tuple[str, ...]
    """Texts of which each key contains one. Looking for them is much faster than the pattern."""
    pattern: str
    """Pattern of the secret part; its repetitions are bounded or cannot backtrack."""
    before: str = r"(?<![A-Za-z0-9])"
    """Condition on the text before it, which JSON's escapes such as ``\\n`` may break."""
    prefix: str = ""
    """Pattern of the text before the secret that stays."""
    group: str = ""
    """Shapes that share a search for their beginnings."""
    _full: re.Pattern[str] = field(init=False, repr=False)
    _loose: re.Pattern[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_full", re.compile(f"{self.before}({self.prefix}){self.pattern}"))
        object.__setattr__(self, "_loose", re.compile(f"{self.prefix}{self.pattern}"))

    def occurs(self, text: str) -> bool:
        """Return whether the shape may occur in a text, or in a text of this JSON document."""
        return self._loose.search(text) is not None

    def remove(self, text: str) -> str:
        """Return the text with all keys of the shape replaced."""
        return self._full.sub(rf"\1[secret {self.kind}]", text)


_CUT_AFTER = re.compile(r"""\\*["'`]|\s?(?:…|\.\.\.|\[)|\s*\Z""")
"""End of a text that was shortened: a quotation mark, an ellipsis, a note in brackets, or nothing."""
_CUT_BEFORE = re.compile(r"(?:…|\.\.\.|\[…[^…]*…\])\s?\.?\Z")
_DIGIT = r"(?=[\w-]{0,60}\d)"
"""Words with hyphens, such as ``sk-learn-contributors``, are no keys."""
_SHAPES = (
    KeyShape(
        "private key",
        ("PRIVATE KEY-----",),
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,20000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?",
        before="",
    ),
    KeyShape("Anthropic key", ("sk-ant-",), r"sk-ant-[\w-]{12,}", group="hyphenated"),
    KeyShape("API key", ("sk-", "sk_live_", "sk_test_"), rf"sk[-_]{_DIGIT}[\w-]{{9,}}", group="hyphenated"),
    KeyShape("xAI key", ("xai-",), rf"xai-{_DIGIT}[\w-]{{20,}}", group="hyphenated"),
    KeyShape("Groq key", ("gsk_",), r"gsk_\w{20,}", group="hyphenated"),
    KeyShape("Hugging Face token", ("hf_",), rf"hf_{_DIGIT}[A-Za-z0-9]{{20,}}", group="hyphenated"),
    KeyShape(
        "GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{20,}", group="hyphenated"
    ),
    KeyShape("GitHub token", ("github_pat_",), r"github_pat_\w{20,}", group="hyphenated"),
    KeyShape("GitLab token", ("glpat-",), r"glpat-[\w-]{16,}", group="hyphenated"),
    KeyShape("Slack token", ("xox", "xapp-"), rf"(?:xox[abeoprs]|xapp)-{_DIGIT}[\w-]{{10,}}", group="hyphenated"),
    KeyShape("AWS key", ("AKIA", "ASIA"), r"A[KS]IA[0-9A-Z]{16}(?![0-9A-Za-z])", group="capital"),
    KeyShape("Google key", ("AIza",), r"AIza[\w-]{30,}", group="capital"),
    KeyShape("JWT", ("eyJ",), r"eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"),
    KeyShape(
        "bearer token",
        ("earer ",),
        r"(?=[\w.~+/=-]{0,80}\d)[\w.~+/=-]{12,}",
        prefix=r"[Bb]earer\s{1,4}",
    ),
    KeyShape(
        "basic credentials",
        ("asic ",),
        r"(?=[\w+/]{0,80}\d)[\w+/]{12,}={0,2}",
        prefix=r"[Bb]asic\s{1,4}",
    ),
    KeyShape(
        "user info",
        ("://",),
        r"[^\s/@:\"'<>\\]{1,100}:[^\s/@\"'<>\\]{1,200}(?=@)",
        before="",
        prefix="://",
    ),
    KeyShape(
        "beginning of a key",
        ("…", "..."),
        r"(?:sk-|sk_live_|sk_test_|xai-|gsk_|hf_|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|xapp-|A[KS]IA|AIza|eyJ)"
        r"(?=[\w.-]{0,60}\d)[\w.-]{4,}?(?=[\"']?\s?(?:…|\.\.\.))",
    ),
)


_HYPHENATED = re.compile(
    r"[-_](?:(?<=sk[-_])(?<![tm]ask[-_])(?<!isk[-_])|(?<=xai-)|(?<=gh[pousr]_)|(?<=hf_)|(?<=gsk_)|(?<=xox[abeoprs]-)"
    r"|(?<=xapp-)|(?<=glpat-)|(?<=github_pat_))"
)
"""Beginnings of keys that end with a hyphen or underscore. Those are rare, so that one search is much faster than one
for each beginning. Every record has a ``task_id``, in which no key begins: its letters are no escape of JSON either."""
_CAPITAL = re.compile(r"A(?:KIA|SIA|Iza)")
_GATES = {"hyphenated": _HYPHENATED, "capital": _CAPITAL}
"""Search that is made once for all shapes of a group."""
_ANCHORED = [(anchor, shape) for shape in _SHAPES for anchor in shape.anchors]


def remove_shapes(text: str) -> str:
    """Return the text with everything that has the shape of a key replaced by ``[secret KIND]``."""
    for shape in _candidates(text):
        text = shape.remove(text)
    return text


def has_shape(text: str) -> bool:
    """Return whether a key may occur in a text, or in a text of this JSON document."""
    return any(shape.occurs(text) for shape in _candidates(text))


def _candidates(text: str) -> list[KeyShape]:
    """Return the shapes of which the text contains an anchor, in their order."""
    closed = [group for group, gate in _GATES.items() if gate.search(text) is None]
    # A loop, because most texts are short and have no candidate: a call for each shape takes longer than the search.
    found = [shape for anchor, shape in _ANCHORED if shape.group not in closed and anchor in text]
    return list(dict.fromkeys(found)) if found else found


Model = TypeVar("Model", bound=BaseModel)
_LEAST_FOR_ENCODINGS = 8
"""Shortest value whose base64 form is looked for: that of a shorter one is short enough to occur in other data."""
_LEAST_PART = 8
"""Shortest beginning or end of a secret that is removed where a text is cut."""
_INNOCENT = re.compile(r'[A-Z]?[a-z]+|[\[{][\s\[{]*(?:"[^"]*(?:"\s*(?::\s*["\[{]?)?)?)?')
"""Beginning or end of a secret that occurs in other texts: a word of a passphrase, or JSON before its first value."""
_MARGIN = 4096
"""Characters beyond those shown that are looked at for secrets which begin or end there, unless one is longer."""
_HALF_WORD_AT_END = re.compile(r"[^\s\"'`]+\Z")
_HALF_WORD_AT_START = re.compile(r"\A[^\s\"'`]+")


@dataclass(frozen=True)
class Secrets:
    """Values that must not leave the process, each with a name for the reader."""

    names: Mapping[str, str] = field(default_factory=dict)
    """Value -> name of the variable or kind of the secret."""

    def __or__(self, other: "Secrets") -> "Secrets":
        """Return the secrets of both; if a value has two names, the first is kept."""
        return self if other.names.keys() <= self.names.keys() else Secrets({**other.names, **self.names})

    def remove(self, text: str) -> str:
        """Return the text with each secret, and each part of one at a cut, replaced by ``[secret NAME]``."""
        for form, replacement in self._forms:
            if form in text:
                text = text.replace(form, replacement)
        for pattern, replacement in self._escaped_forms:
            text = pattern.sub(replacement.replace("\\", r"\\"), text)
        for value, name in self.names.items():
            if value[:_LEAST_PART] in text:
                text = _without_beginning(text, value, f"[secret {name}]")
            if _has_ellipsis(text) and value[-_LEAST_PART:] in text:
                text = _without_end(text, value, f"[secret {name}]")
        return remove_shapes(text)

    def shorten(self, text: str, most: int) -> str:
        """Return the beginning of a text without secrets, followed by `` …`` if the text is longer.

        No word is cut: a half could be half of a secret that only others know, and which they remove if it is whole.
        """
        window = most + 2 * self._margin
        filtered = self.remove(text[:window])
        whole = len(filtered) if len(text) <= window else len(filtered) - self._margin
        if len(text) <= window and len(filtered) <= most:
            return filtered
        shown = filtered[: min(most, whole)]
        if not re.match(r"[\s\"'`]", filtered[len(shown) :]):
            shown = _HALF_WORD_AT_END.sub("", shown)
        return f"{shown.rstrip()} …"

    def shorten_to_end(self, text: str, most: int, *, is_cut: bool) -> str:
        """Return the end of a text without secrets and without half a word at its beginning.

        Args:
            text: End of an output.
            most: Number of characters.
            is_cut: Whether something came before the text, of which its beginning may be a half.
        """
        filtered = self.remove(text)
        cut = max(self._margin if is_cut else 0, len(filtered) - most)
        if cut <= 0:
            return filtered
        shown = filtered[cut:]
        return shown if re.match(r"[\s\"'`]", filtered[cut - 1 :]) else _HALF_WORD_AT_START.sub("", shown)

    def remove_from(self, value: Any) -> Any:
        """Return the JSON value without secrets in its texts and keys; a number that is a secret becomes text."""
        if isinstance(value, str):
            return self.remove(value)
        if isinstance(value, Mapping):
            return {
                self.remove(key) if isinstance(key, str) else key: self.remove_from(part) for key, part in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.remove_from(part) for part in value]
        if isinstance(value, int | float) and not isinstance(value, bool) and str(value) in self.names:
            return self.remove(str(value))
        return value

    def remove_from_model(self, model: Model) -> Model:
        """Return the model without secrets; the same object if it has none."""
        try:
            content = model.model_dump_json()
        except PydanticSerializationError:
            return self.remove_from_model(type(model).model_validate(without_surrogates(model.model_dump())))
        return type(model).model_validate(self.remove_from(json.loads(content))) if self.may_occur(content) else model

    def may_occur(self, serialized: str) -> bool:
        """Return whether a text of this JSON document may contain a secret; fast, and never wrong if it says no."""
        return (
            any(form in serialized for form, _ in self._forms)
            or any(part in serialized for part in self._beginnings)
            or (_has_ellipsis(serialized) and any(part in serialized for part in self._ends))
            or any(pattern.search(serialized) for pattern, _ in self._escaped_forms)
            or has_shape(serialized)
        )

    @cached_property
    def _forms(self) -> tuple[tuple[str, str], ...]:
        """The encodings of all values with their replacements; the longest first, because one may contain another."""
        forms = {form: f"[secret {name}]" for value, name in self.names.items() for form in encodings(value)}
        return tuple(sorted(forms.items(), key=lambda pair: (-len(pair[0]), pair[0])))

    @cached_property
    def _escaped_forms(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        """Patterns of the values with characters that JSON and Python escape, each time that they write them."""
        values = {value: name for value, name in self.names.items() if _ESCAPED.search(value)}
        forms = []
        for value in sorted(values, key=len)[::-1]:
            # Also in JSON that is itself a text of other JSON, and so on, as results in records are.
            pattern = "".join(_escaped_character(each) for each in value.strip())
            forms.append((re.compile(pattern), f"[secret {values[value]}]"))
        return tuple(forms)

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        return frozenset(json.dumps(value[:_LEAST_PART], ensure_ascii=False)[1:-1] for value in self.names)

    @cached_property
    def _ends(self) -> frozenset[str]:
        return frozenset(json.dumps(value[-_LEAST_PART:], ensure_ascii=False)[1:-1] for value in self.names)

    @cached_property
    def _margin(self) -> int:
        return max(_MARGIN, *(2 * len(form) for form, _ in self._forms)) if self._forms else _MARGIN


NO_SECRETS = Secrets()
"""No configured values; known shapes of keys are removed all the same."""


def encodings(value: str) -> Iterator[str]:
    """Yield the forms in which programs write a value: as it is, in URLs, JSON, HTML, Python, shells and base64."""
    escaped = (
        quote(value, safe=""),
        quote(value),
        quote_plus(value),
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
        html.escape(value),
        html.escape(value, quote=False),
        repr(value)[1:-1],
        *([shlex.quote(value)[1:-1]] if "'" in value else ()),
    )
    found = {value, *escaped}
    if len(value) >= _LEAST_FOR_ENCODINGS:
        found |= set(base64_forms(value))
    yield from sorted(found)


_ESCAPED = re.compile(r"[^ !#-&(-.0-\[\]-~]")
_ESCAPES = {"\n": r"(?:\r?\n|\\+r\\+n|\\+n)", "\t": r"(?:\t|\\+t)", "\r": r"(?:\r|\\+r)", "\\": r"\\+"}


def _escaped_character(character: str) -> str:
    if not _ESCAPED.match(character):
        return re.escape(character)
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character in "\"'/":
        return rf"\\*{character}"
    units = character.encode("utf-16-be", "surrogatepass")
    code = "".join(rf"\\+u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
    return rf"(?:{re.escape(character)}|(?i:{code})|\\+x{ord(character):02x})"


def _has_ellipsis(text: str) -> bool:
    # Looked for first, because the search for many short parts of secrets takes longer.
    return "…" in text or "..." in text


def _without_beginning(text: str, form: str, replacement: str) -> str:
    """Return the text without the beginning of a secret at the place where the text was cut."""
    start = text.find(form[:_LEAST_PART])
    while start >= 0:
        part = _common_beginning(form, text[start : start + len(form)])
        end = start + len(part)
        if _is_part_of_secret(part) and _CUT_AFTER.match(text, end):
            text = f"{text[:start]}{replacement}{text[end:]}"
            end = start + len(replacement)
        start = text.find(form[:_LEAST_PART], end)
    return text


def _without_end(text: str, form: str, replacement: str) -> str:
    """Return the text without the end of a secret at the place where the text before it was cut."""
    # From the right, because in a key that repeats itself its last characters occur earlier, too.
    at = text.rfind(form[-_LEAST_PART:])
    while at >= 0:
        end = at + _LEAST_PART
        part = _common_beginning(form[::-1], text[max(0, end - len(form)) : end][::-1])
        # A dot may belong to the ellipsis.
        start = end - len(part.rstrip("."))
        if _is_part_of_secret(part) and _CUT_BEFORE.search(text, max(0, start - 60), start):
            text = f"{text[:start]}{replacement}{text[end:]}"
            at = start
        at = text.rfind(form[-_LEAST_PART:], 0, at + _LEAST_PART - 1)
    return text


def _common_beginning(left: str, right: str) -> str:
    return left[
        : next((at for at, pair in enumerate(zip(left, right, strict=False)) if pair[0] != pair[1]), len(right))
    ]


def _is_part_of_secret(part: str) -> bool:
    """Return whether the part of a secret does not occur in texts anyway."""
    return not _INNOCENT.fullmatch(part)


def base64_forms(value: str) -> Iterable[str]:
    """Yield the value in base64, also as part of a longer text: three bytes make four characters."""
    content = value.encode("utf-8", "surrogatepass")
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        yield encode(content).decode().rstrip("=")
        for before in range(3):
            # Characters that depend on what stands before and behind are left out.
            yield encode(bytes(before) + content).decode()[-(-before * 8 // 6) : (before + len(content)) * 8 // 6]
