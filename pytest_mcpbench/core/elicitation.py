"""Questions that servers ask the user during a call (elicitation): the answers of a task, checks, and records."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import Field, JsonValue, model_validator

from pytest_mcpbench.core.bounded_schema import BoundedValidator
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.search_pattern import SearchPattern
from pytest_mcpbench.core.usage import NO_USAGE, Usage
from pytest_mcpbench.text.bounded_pattern import BoundedPattern

ElicitationAction = Literal["accept", "decline", "cancel"]
"""Answers that the protocol knows: the user fills in the form or opens the URL, says no, or closes the question."""

CLIENT = "client"
"""Name in a record of a question that the program under test has answered."""
NOBODY = "nobody"
"""Name in a record of a question that was declined because no task's user could be asked."""


class Elicitation(FrozenModel):
    """One question of a server, with its answer."""

    message: str
    fields: dict[str, Any] = Field(default_factory=dict)
    """JSON schema of the form; empty for a URL."""
    url: str | None = None
    """Address that the user is asked to open; ``None`` for a form."""
    action: ElicitationAction | None = None
    """``None``: nobody has answered."""
    content: dict[str, JsonValue] = Field(default_factory=dict)
    """Values of the form that the user has accepted."""
    answered_by: str = ""
    """``script``, the model that plays the user, :data:`CLIENT`, or :data:`NOBODY`."""
    usage: Usage = NO_USAGE
    """Of the model that plays the user."""
    seconds: float = 0.0
    """Time that the user took, which is not the agent's."""

    @property
    def field_names(self) -> tuple[str, ...]:
        """Return the names of the form's fields."""
        properties = self.fields.get("properties")
        return tuple(properties) if isinstance(properties, dict) else ()

    @property
    def question(self) -> str:
        """Return the message with what it asks for, as people read it."""
        if self.url is not None:
            return f"{self.message} (open {self.url})"
        return f"{self.message} ({', '.join(self.field_names)})" if self.field_names else self.message

    @property
    def reply(self) -> str:
        """Return the answer as people read it, such as ``accept {"confirm": true}``."""
        values = ", ".join(f"{name}: {value!r}" for name, value in self.content.items())
        return f"{self.action or 'no answer'}{f' ({values})' if values else ''}"

    def answered(self, action: ElicitationAction, by: str, content: dict[str, JsonValue]) -> "Elicitation":
        """Return the question with an answer."""
        return self.model_copy(update={"action": action, "answered_by": by, "content": content})


class ElicitationRule(FrozenModel):
    """Answer of a task's user to a question that the rule expects."""

    match: SearchPattern = ""
    """Regular expression that the message or the URL contains, without regard to case; empty: any."""
    action: ElicitationAction = "accept"
    content: dict[str, JsonValue] = Field(default_factory=dict)
    """Values by field of the form. The rule expects only forms with all of these fields."""

    @model_validator(mode="after")
    def _accepts_what_it_fills_in(self) -> "ElicitationRule":
        if self.content and self.action != "accept":
            raise ValueError(f"`content` is for `action: accept`; a user who answers {self.action!r} sends nothing")
        return self

    def expects(self, asked: Elicitation) -> bool:
        """Return whether the rule answers the question. Raises PatternTimeoutError."""
        text = asked.message if asked.url is None else f"{asked.message}\n{asked.url}"
        return self.content.keys() <= set(asked.field_names) and (
            BoundedPattern(self.match, ignores_case=True).is_found(text)
        )


class ElicitationCheck(FrozenModel):
    """Statement about the questions of an attempt: ``asked``, ``never_asked`` or ``confirms``."""

    asked: SearchPattern | None = None
    """Regular expression that the message of a question contains, without regard to case."""
    action: ElicitationAction | None = None
    """With ``asked``: the user's answer to that question."""
    never_asked: SearchPattern | None = None
    """Regular expression that no question contains."""
    confirms: str | None = None
    """Tool, under its own name or the exposed one, of which every call without an error asked the user something."""

    @model_validator(mode="after")
    def _has_one_kind(self) -> "ElicitationCheck":
        if sum(kind is not None for kind in (self.asked, self.never_asked, self.confirms)) != 1:
            raise ValueError("a check of elicitations has asked, never_asked or confirms")
        if self.action is not None and self.asked is None:
            raise ValueError("`action` needs `asked`")
        return self

    def __str__(self) -> str:
        if self.never_asked is not None:
            return f"no server asks '{self.never_asked}'"
        if self.confirms is not None:
            return f"each call of {self.confirms} asks the user"
        return f"a server asks '{self.asked}'{f', and the user answers {self.action}' if self.action else ''}"


_WORDS: Mapping[str, bool] = {"yes": True, "true": True, "no": False, "false": False}


def fitting_content(content: Mapping[str, JsonValue], fields: Mapping[str, Any]) -> dict[str, JsonValue]:
    """Return the content with the form's defaults (SEP-1034), and with truth values in place of ``yes`` and ``no``."""
    found = fields.get("properties")
    properties = found if isinstance(found, dict) else {}
    defaults = {
        name: field["default"] for name, field in properties.items() if isinstance(field, dict) and "default" in field
    }

    def is_truth_value(name: str) -> bool:
        field = properties.get(name)
        return isinstance(field, dict) and field.get("type") == "boolean"

    return {
        name: _WORDS.get(value.lower(), value) if isinstance(value, str) and is_truth_value(name) else value
        for name, value in {**defaults, **content}.items()
    }


def form_fault(content: Mapping[str, JsonValue], fields: Mapping[str, Any]) -> str:
    """Return why the content is not an accepted form; empty if it is one, and for a form that says nothing of it."""
    if not fields:
        return ""
    try:
        errors: Iterable[Any] = BoundedValidator(fields).iter_errors(dict(content))
        return "; ".join(error.message for error in errors)
    except Exception as error:  # a server may write any form: one that cannot be checked is its fault, not the user's
        return f"the form cannot be read: {error}"
