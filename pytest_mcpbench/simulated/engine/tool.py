"""A tool built from a typed function: schema, argument validation and call."""

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_
from types import NoneType, UnionType
from typing import Annotated, Any, NotRequired, Required, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from pytest_mcpbench.simulated.engine.dialect import Dialect
from pytest_mcpbench.simulated.engine.failure import ToolFailure

_LARGEST_WHOLE = 2**53
"""Numbers from here on are not all whole in JavaScript."""


@dataclass(frozen=True)
class SimulatedTool:
    """A function of a state and the tool's parameters, exposed in the dialect of a server."""

    function: Callable[..., Any]
    dialect: Dialect
    is_hyphenated: bool = False
    """Hyphens in the name, where the function's name has underscores."""

    @property
    def name(self) -> str:
        """The function's name, without the trailing underscore that avoids a clash with a Python keyword."""
        name = self.function.__name__.removesuffix("_")
        return name.replace("_", "-") if self.is_hyphenated else name

    @property
    def description(self) -> str:
        return inspect.getdoc(self.function) or ""

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        """JSON schema of the arguments, in the form that the real server's SDK writes."""
        return self.dialect.schema(self._model.model_json_schema())

    def call(self, state: Any, arguments: Mapping[str, Any]) -> Any:
        """Validate an agent's arguments and call the function; raise :class:`ToolFailure` if they are invalid.

        Only the arguments that were sent are passed on; for the others the function's own defaults apply.
        """
        try:
            whole = _with_whole_numbers(arguments) if self.dialect.strict else arguments
            # Python's encoder refuses NaN and deep nesting.
            text = json.dumps(whole, allow_nan=False)
        except (ValueError, RecursionError) as error:
            raise ToolFailure(f"Invalid JSON: {error}") from error
        try:
            valid_arguments = self._model.model_validate_json(text, strict=self.dialect.strict)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            is_json = first["type"] != "json_invalid"
            message = self.dialect.invalid(self.name, error, self.input_schema) if is_json else first["msg"]
            raise ToolFailure(message, verbatim=not self.dialect.wrapped) from error
        # In the order of the fields: that of the set of sent arguments differs from process to process.
        sent = [name for name in self._model.model_fields if name in valid_arguments.model_fields_set]
        return self.function(state, **{name: getattr(valid_arguments, name) for name in sent})

    @cached_property
    def _model(self) -> type[BaseModel]:
        _, *parameters = inspect.signature(self.function).parameters.values()
        hints = get_type_hints(self.function, include_extras=True)
        # The type and the default of each parameter; a required one has the default ``...``.
        fields: dict[str, tuple[Any, Any]] = {}
        for each in parameters:
            if each.kind is inspect.Parameter.VAR_KEYWORD:
                (typed_dict,) = get_args(hints[each.name])
                for name, annotation in get_type_hints(typed_dict, include_extras=True).items():
                    inner = get_args(annotation)[0] if get_origin(annotation) in (Required, NotRequired) else annotation
                    fields[name] = inner, ... if name in typed_dict.__required_keys__ else None
            else:
                fields[each.name] = hints[each.name], ... if each.default is each.empty else each.default
        if not self.dialect.nullable:
            fields = {name: (_without_none(annotation), default) for name, (annotation, default) in fields.items()}
        config = ConfigDict(extra="forbid" if self.dialect.closed else "ignore", allow_inf_nan=False)
        return create_model(f"{self.name}Arguments", __config__=config, **fields)  # type: ignore[call-overload, no-any-return]  # the fields are only known here


def _with_whole_numbers(value: Any) -> Any:
    """Return a value in which ``3.0`` is ``3``: servers on Node, whose dialects are strict, know one kind of number."""
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_WHOLE:
        return int(value)
    if isinstance(value, Mapping):
        return {name: _with_whole_numbers(part) for name, part in value.items()}
    return [_with_whole_numbers(part) for part in value] if isinstance(value, list) else value


def _without_none(annotation: Any) -> Any:
    """Return the type without ``None``: an argument that may be omitted must not be null."""
    if get_origin(annotation) is Annotated:
        inner, *extras = get_args(annotation)
        return Annotated[(_without_none(inner), *extras)]
    if get_origin(annotation) not in (Union, UnionType):
        return annotation
    return reduce(or_, (part for part in get_args(annotation) if part is not NoneType))
