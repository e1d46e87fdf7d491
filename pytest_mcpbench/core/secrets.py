"""Removal of secrets from text and JSON: configured values in all their encodings, and known shapes of keys."""

import base64
import html
import json
import re
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
class Shape:
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


_DIGIT = r"(?=[\w-]{0,60}\d)"
"""Words with hyphens, such as ``sk-learn-contributors``, are no keys."""
_SHAPES = (
    Shape(
        "private key",
        ("PRIVATE KEY-----",),
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,20000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?",
        before="",
    ),
    Shape("Anthropic key", ("sk-ant-",), r"sk-ant-[\w-]{12,}", group="hyphenated"),
    Shape("API key", ("sk-", "sk_live_", "sk_test_"), rf"sk[-_]{_DIGIT}[\w-]{{9,}}", group="hyphenated"),
    Shape("xAI key", ("xai-",), rf"xai-{_DIGIT}[\w-]{{20,}}", group="hyphenated"),
    Shape("Groq key", ("gsk_",), r"gsk_\w{20,}", group="hyphenated"),
    Shape("Hugging Face token", ("hf_",), rf"hf_{_DIGIT}[A-Za-z0-9]{{20,}}", group="hyphenated"),
    Shape("GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{20,}", group="hyphenated"),
    Shape("GitHub token", ("github_pat_",), r"github_pat_\w{20,}", group="hyphenated"),
    Shape("GitLab token", ("glpat-",), r"glpat-[\w-]{16,}", group="hyphenated"),
    Shape("Slack token", ("xox", "xapp-"), rf"(?:xox[abeoprs]|xapp)-{_DIGIT}[\w-]{{10,}}", group="hyphenated"),
    Shape("AWS key", ("AKIA", "ASIA"), r"A[KS]IA[0-9A-Z]{16}(?![0-9A-Za-z])", group="capital"),
    Shape("Google key", ("AIza",), r"AIza[\w-]{30,}", group="capital"),
    Shape("JWT", ("eyJ",), r"eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"),
    Shape(
        "bearer token",
        ("earer ",),
        r"(?=[\w.~+/=-]{0,80}\d)[\w.~+/=-]{12,}",
        prefix=r"[Bb]earer\s{1,4}",
    ),
    Shape(
        "basic credentials",
        ("asic ",),
        r"(?=[\w+/]{0,80}\d)[\w+/]{12,}={0,2}",
        prefix=r"[Bb]asic\s{1,4}",
    ),
    Shape(
        "user info",
        ("://",),
        r"[^\s/@:\"'<>\\]{1,100}:[^\s/@\"'<>\\]{1,200}(?=@)",
        before="",
        prefix="://",
    ),
)


_HYPHENATED = re.compile(
    r"[-_](?:(?<=sk[-_])|(?<=xai-)|(?<=gh[pousr]_)|(?<=hf_)|(?<=gsk_)|(?<=xox[abeoprs]-)|(?<=xapp-)|(?<=glpat-)"
    r"|(?<=github_pat_))"
)
"""Beginnings of keys that end with a hyphen or underscore. Those are rare, so that one search is much faster than one
for each beginning."""
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


def _candidates(text: str) -> list[Shape]:
    """Return the shapes of which the text contains an anchor, in their order."""
    closed = [group for group, gate in _GATES.items() if gate.search(text) is None]
    # A loop, because most texts are short and have no candidate: a call for each shape takes longer than the search.
    found = [shape for anchor, shape in _ANCHORED if shape.group not in closed and anchor in text]
    return list(dict.fromkeys(found)) if found else found


Model = TypeVar("Model", bound=BaseModel)
_LEAST_FOR_ENCODINGS = 8
"""Shortest value whose base64 form is looked for: that of a shorter one is short enough to occur in other data."""


@dataclass(frozen=True)
class Secrets:
    """Values that must not leave the process, each with a name for the reader."""

    names: Mapping[str, str] = field(default_factory=dict)
    """Value -> name of the variable or kind of the secret."""

    def __or__(self, other: "Secrets") -> "Secrets":
        """Return the secrets of both; if a value has two names, the first is kept."""
        return self if other.names.keys() <= self.names.keys() else Secrets({**other.names, **self.names})

    def remove(self, text: str) -> str:
        """Return the text with each secret replaced by ``[secret NAME]``."""
        for form, replacement in self._forms:
            if form in text:
                text = text.replace(form, replacement)
        return remove_shapes(text)

    def remove_from(self, value: Any) -> Any:
        """Return the JSON value without secrets in its texts and keys; a number that is a secret becomes text."""
        if isinstance(value, str):
            return self.remove(value)
        if isinstance(value, Mapping):
            return {self._removed_key(key): self.remove_from(part) for key, part in value.items()}
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
        return any(form in serialized for form, _ in self._forms) or has_shape(serialized)

    def _removed_key(self, key: Any) -> Any:
        return self.remove(key) if isinstance(key, str) else key

    @cached_property
    def _forms(self) -> tuple[tuple[str, str], ...]:
        """The encodings of all values with their replacements; the longest first, because one may contain another."""
        forms = {form: f"[secret {name}]" for value, name in self.names.items() for form in encodings(value)}
        return tuple(sorted(forms.items(), key=lambda pair: (-len(pair[0]), pair[0])))


NO_SECRETS = Secrets()
"""No configured values; known shapes of keys are removed all the same."""


def encodings(value: str) -> Iterator[str]:
    """Yield the forms in which programs write a value: as it is, in URLs, JSON, HTML, Python and base64."""
    found = {value, *_escaped(value), *(_escaped_twice(value))}
    if len(value) >= _LEAST_FOR_ENCODINGS:
        found |= set(_base64(value))
    yield from sorted(found)


def _escaped(value: str) -> Iterable[str]:
    return (
        quote(value, safe=""),
        quote(value),
        quote_plus(value),
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
        html.escape(value),
        html.escape(value, quote=False),
        repr(value)[1:-1],
    )


def _escaped_twice(value: str) -> Iterable[str]:
    """Return the form of a value in JSON that is itself a string of other JSON, like tool results in records."""
    return (json.dumps(json.dumps(value)[1:-1])[1:-1],)


def _base64(value: str) -> Iterable[str]:
    content = value.encode("utf-8", "surrogatepass")
    encoded = (base64.b64encode(content).decode(), base64.urlsafe_b64encode(content).decode())
    return [text.rstrip("=") for text in encoded]
