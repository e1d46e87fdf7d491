"""Validation of the loader options in a suite.toml."""

from typing import TypeVar

from pydantic import ValidationError

from pytest_mcpbench.core.errors import SourceLocation
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.loading import LoadOptions
from pytest_mcpbench.loaders.field_errors import field_path, to_field_error

Options = TypeVar("Options", bound=FrozenModel)


class NoOptions(FrozenModel):
    """Options of a loader that has none."""


def parse_options(options: LoadOptions, model: type[Options]) -> Options:
    """Validate the options with the loader's model. Raises :class:`TaskError` for an unknown or invalid option."""
    try:
        return model.model_validate(options.values)
    except ValidationError as error:
        error_in_options = to_field_error(error, model, lambda location: f"options.{field_path(location)}")
        raise error_in_options.at(SourceLocation(options.file)) from None
