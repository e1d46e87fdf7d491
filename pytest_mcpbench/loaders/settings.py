"""Checks the options that a suite.toml gives to a loader."""

from typing import TypeVar

from pydantic import ValidationError

from pytest_mcpbench.core.errors import SourceLocation
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.loading import LoadOptions
from pytest_mcpbench.loaders.complaint import complaint, dotted

Options = TypeVar("Options", bound=FrozenModel)


class NoOptions(FrozenModel):
    """For a loader that has none."""


def options_of(given: LoadOptions, model: type[Options]) -> Options:
    """The options as the loader's own value. Raises :class:`TaskError` for an unknown or a wrong one."""
    try:
        return model.model_validate(given.values)
    except ValidationError as error:
        named = complaint(error, model, lambda location: f"options.{dotted(location)}")
        raise named.at(SourceLocation(given.file)) from None
