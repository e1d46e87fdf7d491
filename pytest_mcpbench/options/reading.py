"""Reading of the settings from the command line, the ini file and pyproject.toml."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.options.option import OptionReader
from pytest_mcpbench.options.settings import CONDITIONS, OPTIONS, Settings

if TYPE_CHECKING:
    from pytest_mcpbench.core.variant import Variant

_NONE = "none"


def read_settings(config: pytest.Config) -> Settings:
    """Return the settings of the run. Raises a usage error that names the option with a wrong value."""
    reader = OptionReader(config)
    table = _project_table(config)
    values: dict[str, Any] = {"aliases": table.get("models", {}), "agents": table.get("agents", {})}
    for name, option in OPTIONS.items():
        value = option.read(reader)
        if value is None and option.default is not None:
            # A default may depend on the settings before it in the table.
            value = option.default(config, {**vars(Settings()), **values})
        if value is not None:
            values[name] = value
    if values.get("model_settings"):
        values["aliases"] = _read_aliases(values)
    settings = Settings(conditions=_read_conditions(reader), **values)
    return replace(settings, variants=_read_variants(reader, settings)) if settings.sweep else settings


def _read_aliases(values: dict[str, Any]) -> dict[str, Any]:
    """Return the aliases of the project with the settings of the command line."""
    from pytest_mcpbench.core.errors import UsageError
    from pytest_mcpbench.core.model_names import panel_members
    from pytest_mcpbench.options.model_settings import with_model_settings

    judge = values.get("judge")
    try:
        return with_model_settings(
            values["aliases"],
            values["model_settings"],
            values.get("models", Settings().models),
            panel_members(judge) if judge else (),
        )
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None


def _read_variants(reader: OptionReader, settings: Settings) -> "tuple[Variant, ...]":
    """Return the variants of the sweeps, with their conditions checked."""
    from pytest_mcpbench.options.sweeps import parse_sweeps

    if settings.compares_arms:
        raise pytest.UsageError("--mcpbench-sweep: a run that compares definitions has no sweep; run them one by one")
    variants = parse_sweeps(reader, settings.sweep, OPTIONS, CONDITIONS)
    return tuple(replace(each, conditions=_checked(dict(each.conditions))) for each in variants)


def _read_conditions(reader: OptionReader) -> dict[str, Any]:
    """Return the conditions that the options set, checked; files by absolute path."""
    read = {str(option.condition): option.read(reader) for option in CONDITIONS}
    values = {name: value for name, value in read.items() if value is not None}
    if "skills" in values:
        values["skills"] = tuple(_skill(path, reader) for path in values["skills"] if path != _NONE)
    if "context_pool" in values:
        values["context_pool"] = _pool(values["context_pool"], reader)
    return _checked(values) if values else {}


def _pool(path: str, reader: OptionReader) -> str | None:
    """Return the absolute path of a pool that can be read, relative to where pytest was called."""
    from pytest_mcpbench.core.errors import UsageError
    from pytest_mcpbench.suite_files.briefing.paragraph_pool import read_pool

    if path == _NONE:
        return None
    try:
        read_pool(reader.config.invocation_params.dir / path)
    except UsageError as error:
        raise pytest.UsageError(f"{reader.place('context-pool')}: {error}") from None
    return str(reader.config.invocation_params.dir / path)


def _skill(path: str, reader: OptionReader) -> str:
    """Return the absolute path of a readable document, relative to where pytest was called, or a skill's name."""
    from pytest_mcpbench.suite_files.briefing.suite_briefing import SHIPPED_SKILLS, read_skill, unreadable_reason

    directory = reader.config.invocation_params.dir
    try:
        read_skill(path, directory)
    except (OSError, UnicodeDecodeError) as error:
        problem = f"{directory / path} cannot be read: {unreadable_reason(error)}"
        names = f"skills of the package: {', '.join(SHIPPED_SKILLS)}"
        raise pytest.UsageError(f"{reader.place('skill')}: {problem}; {names}") from None
    return str(directory / path) if (directory / path).exists() else path


def _checked(values: dict[str, Any]) -> dict[str, Any]:
    from pydantic import ValidationError

    from pytest_mcpbench.core.conditions import Conditions

    try:
        checked = Conditions.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = next(option.name for option in CONDITIONS if option.condition == first["loc"][0])
        raise pytest.UsageError(f"--mcpbench-{name}: {first['msg']}, not {first['input']!r}") from None
    return {name: getattr(checked, name) for name in values}


def _project_table(config: pytest.Config) -> dict[str, Any]:
    """Return ``[tool.mcpbench]`` of the pyproject.toml at pytest's root."""
    from pytest_mcpbench.core.errors import UsageError
    from pytest_mcpbench.files.project_file import project_table

    try:
        return project_table(config.rootpath)
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None
