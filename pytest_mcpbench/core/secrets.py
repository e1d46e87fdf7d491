"""Removal of secrets from text and JSON: configured values in all their encodings, and known shapes of keys."""

import base64
import html
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import quote, quote_plus

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

from pytest_mcpbench.core.secret_shapes import has_shape, remove_shapes
from pytest_mcpbench.core.surrogates import without_surrogates

Model = TypeVar("Model", bound=BaseModel)
_LEAST_FOR_ENCODINGS = 8
"""Shortest value whose base64 form is looked for: that of a shorter one is short enough to occur in other data."""


@dataclass(frozen=True)
class Secrets:
    """Values that must not leave the process, each with a name for the reader."""

    names: Mapping[str, str] = field(default_factory=dict)
    """Value -> name of the variable or kind of the secret."""

    def __or__(self, other: "Secrets") -> "Secrets":
        """Return the secrets of both; of two names of one value the first counts."""
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
    """Return the form in JSON that is a text of other JSON, as results of tools are in records."""
    return (json.dumps(json.dumps(value)[1:-1])[1:-1],)


def _base64(value: str) -> Iterable[str]:
    content = value.encode("utf-8", "surrogatepass")
    encoded = (base64.b64encode(content).decode(), base64.urlsafe_b64encode(content).decode())
    return [text.rstrip("=") for text in encoded]
