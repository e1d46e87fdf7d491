"""Reading of the settings from the command line, the ini file and pyproject.toml."""

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from pytest_mcpbench.core.conditions import Conditions
from pytest_mcpbench.core.errors import UsageError, hook_problem, unreadable_reason
from pytest_mcpbench.core.model_names import panel_members
from pytest_mcpbench.core.selection import Shard, TaskSample
from pytest_mcpbench.core.variant import Variant
from pytest_mcpbench.files.project_file import project_table
from pytest_mcpbench.options.model_settings import with_model_settings
from pytest_mcpbench.options.option import Form, Option, OptionReader, Range
from pytest_mcpbench.options.parallelism import default_concurrency, is_crowded
from pytest_mcpbench.options.settings import CONDITIONS, OPTIONS, SHARED, Settings
from pytest_mcpbench.runs.lookup import find_run

if TYPE_CHECKING:
    from pytest_mcpbench.clients.profile import ClientProfile

CLIENTS = pytest.StashKey[dict[str, "ClientProfile"]]()
"""Profiles of the clients that the run names."""
_NONE = "none"


def read_settings(config: pytest.Config) -> Settings:
    """Return the settings of the run. Raises a usage error that names the option with a wrong value."""
    reader = OptionReader(config)
    try:
        table = project_table(config.rootpath)
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None
    values: dict[str, Any] = {"aliases": table.get("models", {}), "agents": table.get("agents", {})}
    for name, option in OPTIONS.items():
        value = _read(option, reader)
        if value is not None:
            values[name] = value
    if "concurrency" not in values:
        models = values.get("models", Settings().models)
        values["concurrency"] = default_concurrency(config, models, values["aliases"])
    if "engine" not in values and is_crowded(config):
        values["engine"] = SHARED
    if values.get("model_settings"):
        values["aliases"] = _read_aliases(values)
    conditions, clients = _read_conditions(reader)
    settings = Settings(conditions=conditions, **values)
    if any(sweep.replace(" ", "").startswith("client=") for sweep in settings.sweep):
        raise pytest.UsageError("--mcpbench-sweep: name each client with an option --mcpbench-client of its own")
    if len(clients) > 1:
        settings = settings.replace(sweep=(*settings.sweep, f"client={','.join(clients)}"))
    if not settings.sweep:
        return settings
    return settings.replace(variants=_read_variants(reader, settings, clients))


def _read(option: Option, reader: OptionReader) -> Any:
    """Return the value that the user has set; ``None`` if there is none."""
    raw = reader.value(option.name, kind=option.type, within=option.range)
    if raw in (None, "", []):
        return None
    if option.choices and raw not in option.choices:
        listed = f"{', '.join(option.choices[:-1])} or {option.choices[-1]}"
        raise pytest.UsageError(f"{reader.place(option.name)} must be {listed}, not {raw!r}")
    if option.form is not None:
        return _READERS[option.form](reader, option.name, raw)
    return tuple(raw) if option.type == "args" else raw


def _read_aliases(values: dict[str, Any]) -> dict[str, Any]:
    """Return the aliases of the project with the settings of the command line."""
    judge, models = values.get("judge"), values.get("models", Settings().models)
    judges = panel_members(judge) if judge else ()
    try:
        return with_model_settings(values["aliases"], values["model_settings"], models, judges)
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None


def _read_variants(
    reader: OptionReader, settings: Settings, clients: Mapping[str, Mapping[str, Any]]
) -> tuple[Variant, ...]:
    """Return the variants of the sweeps, with their conditions checked."""
    if settings.compares_arms:
        option = "client" if len(clients) > 1 else "sweep"
        problem = "a run that compares definitions has no sweep; run them one by one"
        raise pytest.UsageError(f"--mcpbench-{option}: {problem}")
    variants = []
    for variant in parse_sweeps(reader, settings.sweep, OPTIONS, CONDITIONS):
        conditions = dict(variant.conditions)
        if "client" in conditions and len(clients) > 1:
            # Those of its client, unless the command line sets or sweeps them.
            of_profile = clients[conditions["client"]].items()
            unset = {name: value for name, value in of_profile if name not in settings.conditions}
            conditions = {**unset, **conditions}
        variants.append(replace(variant, conditions=_checked(conditions)))
    return tuple(variants)


def _read_conditions(reader: OptionReader) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Return the conditions that the options set, checked, and those of each client that is named.

    Files have absolute paths. The conditions of a single client are among the first, unless another option sets them.
    """
    read = {str(option.condition): _read(option, reader) for option in CONDITIONS}
    values = {name: value for name, value in read.items() if value is not None}
    clients = {name: _client(name, reader) for name in dict.fromkeys(values.pop("client", ()))}
    if len(clients) == 1:
        values = {**next(iter(clients.values())), "client": next(iter(clients)), **values}
    if "skills" in values:
        values["skills"] = tuple(_skill(path, reader) for path in values["skills"] if path != _NONE)
    if "context_pool" in values:
        values["context_pool"] = _pool(values["context_pool"], reader)
    return _checked(values) if values else {}, clients


def _client(name: str, reader: OptionReader) -> dict[str, Any]:
    """Return the conditions of a client's profile."""
    # Here, because few runs name a client.
    from pytest_mcpbench.clients.profile import load_profile

    try:
        made = reader.config.hook.pytest_mcpbench_make_client(config=reader.config, client=name)
        profile = made or load_profile(name, reader.config.invocation_params.dir)
    except UsageError as error:
        raise pytest.UsageError(f"{reader.place('client')}: {error}") from None
    except pytest.UsageError:
        raise
    except Exception as error:
        problem = hook_problem("pytest_mcpbench_make_client", error)
        raise pytest.UsageError(f"{reader.place('client')}: {problem}") from error
    reader.config.stash.setdefault(CLIENTS, {})[name] = profile
    return profile.conditions


def _pool(path: str, reader: OptionReader) -> str | None:
    """Return the absolute path of a pool that can be read, relative to where pytest was called."""
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
    from pytest_mcpbench.suite_files.briefing.suite_briefing import SHIPPED_SKILLS, read_skills

    directory = reader.config.invocation_params.dir
    try:
        read_skills(path, directory)
    except (OSError, ValueError) as error:
        problem = f"{directory / path} cannot be read: {unreadable_reason(error)}"
        names = f"skills of the package: {', '.join(SHIPPED_SKILLS)}"
        raise pytest.UsageError(f"{reader.place('skill')}: {problem}; {names}") from None
    return str(directory / path) if (directory / path).exists() else path


def _checked(values: dict[str, Any]) -> dict[str, Any]:
    try:
        checked = Conditions.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = next((option.name for option in CONDITIONS if option.condition == first["loc"][0]), "client")
        raise pytest.UsageError(f"--mcpbench-{name}: {first['msg']}, not {first['input']!r}") from None
    return {name: getattr(checked, name) for name in values}


# Values of each form, from the raw value of an option, with errors that name the option.

_FLOORS = Range(least=0, most=1)


def _read_path(reader: OptionReader, name: str, raw: Any) -> Path:
    """Return a path, relative to where pytest was called, that the system can look up."""
    path = reader.config.invocation_params.dir / str(raw)
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError) as error:
        problem = f"the path cannot be used: {unreadable_reason(error)}"
        raise pytest.UsageError(f"{reader.place(name)}: {problem}") from None
    return path


def _read_directory(reader: OptionReader, name: str, raw: Any) -> Path:
    """Return the path of a directory that must exist."""
    found = _read_path(reader, name, raw)
    if not found.is_dir():
        raise pytest.UsageError(f"{reader.place(name)}: there is no directory {found}")
    return found


def _read_directories(reader: OptionReader, name: str, raw: Any) -> tuple[Path, ...]:
    """Return the paths of directories that must exist."""
    return tuple(_read_directory(reader, name, each) for each in raw)


def _read_earlier_run(reader: OptionReader, name: str, raw: Any) -> Path:
    """Return the directory of an earlier run, and store that of ``last``, the project's latest one, as the option."""
    if raw != "last" or _read_path(reader, name, raw).is_dir():
        return _read_directory(reader, name, raw)
    try:
        found = find_run(raw, reader.config.rootpath)
    except UsageError as error:
        raise pytest.UsageError(f"{reader.place(name)}: {error}") from None
    # Workers get the options of the controller: for them the latest run may already be this one.
    setattr(reader.config.option, f"mcpbench_{name}", str(found))
    return found


def _read_floors(reader: OptionReader, name: str, raw: Any) -> dict[str, float]:
    """Return the floors of ``METRIC=VALUE`` texts."""
    floors = {}
    for text in raw:
        metric, _, value = text.partition("=")
        try:
            floor = float(value)
        except ValueError:
            told = f"{reader.place(name)} takes METRIC=VALUE, for example ast=0.9, not {text!r}"
            raise pytest.UsageError(told) from None
        problem = _FLOORS.problem(floor)
        if problem:
            raise pytest.UsageError(f"{reader.place(name)}: {text} {problem}: scores are from 0 to 1")
        floors[metric.strip()] = floor
    return floors


def _read_sample(reader: OptionReader, name: str, raw: Any) -> TaskSample:
    """Return the sample that ``N`` or ``N/TAG`` means."""
    try:
        return TaskSample.parse(raw)
    except UsageError as error:
        raise pytest.UsageError(f"{reader.place(name)}: {error}") from None


def _read_shard(reader: OptionReader, name: str, raw: Any) -> Shard:
    """Return the part of the tasks that ``i/n`` means."""
    try:
        return Shard.parse(raw)
    except UsageError as error:
        raise pytest.UsageError(f"{reader.place(name)}: {error}") from None


_READERS: Mapping[Form, Callable[[OptionReader, str, Any], Any]] = {
    "path": _read_path,
    "directory": _read_directory,
    "directories": _read_directories,
    "run": _read_earlier_run,
    "floors": _read_floors,
    "sample": _read_sample,
    "shard": _read_shard,
}


# Parsing of ``--mcpbench-sweep NAME=VALUE,VALUE``: a parameter of every task, as models are.

SWEPT_SETTINGS = ("rounds", "tool-calls", "seconds", "temperature")
"""Options about limits and sampling that can be swept; every condition with one value can be swept too."""


def parse_sweeps(
    reader: OptionReader, sweeps: Iterable[str], settings: Mapping[str, Option], conditions: Iterable[Option]
) -> tuple[Variant, ...]:
    """Return the variants: each combination of the values of all sweeps, in their order.

    Args:
        reader: Reader of the options of this run.
        sweeps: Texts such as ``rounds=5,10``.
        settings: Options by field of the settings.
        conditions: Options of conditions.
    """
    fields = {option.name: field for field, option in settings.items() if option.name in SWEPT_SETTINGS}
    options = {settings[field].name: settings[field] for field in fields.values()}
    options |= {
        option.name: option
        for option in conditions
        if option.name == "client" or (option.type != "args" and option.name != "context-pool")
    }
    swept: dict[str, list[tuple[str, Any]]] = {}
    for text in sweeps:
        name, values = _parse(text, options)
        if name in swept:
            raise _error(text, f"{name} is swept twice")
        swept[name] = [(value, _convert(text, options[name], value)) for value in values]
        if name != "client" and reader.value(name, kind=options[name].type) is not None:
            raise _error(text, f"leave --mcpbench-{name} out, which sets one value")
    variants = []
    for combination in itertools.product(*swept.values()):
        chosen = dict(zip(swept, combination, strict=True))
        variants.append(
            Variant(
                values={name: text for name, (text, _) in chosen.items()},
                settings={fields[name]: value for name, (_, value) in chosen.items() if name in fields},
                conditions={
                    str(options[name].condition): value for name, (_, value) in chosen.items() if name not in fields
                },
            )
        )
    return tuple(variants)


def _parse(text: str, options: Mapping[str, Option]) -> tuple[str, list[str]]:
    name, _, listed = text.partition("=")
    values = [value.strip() for value in listed.split(",") if value.strip()]
    name = name.strip().replace("_", "-")
    if name not in options:
        from pytest_mcpbench.models.aliases import REQUEST_SETTINGS
        from pytest_mcpbench.text.suggestions import hint

        setting = name.replace("-", "_")
        if setting in (*REQUEST_SETTINGS, "tools"):
            remedy = "give the model an alias for each value in [tool.mcpbench.models], and name them with --model"
            raise _error(text, f"{setting} is a setting of a model, which is not swept; {remedy}")
        raise _error(text, f"no condition is called {name!r}. {hint(name, options)}")
    if len(values) < 2 or len(set(values)) < len(values):
        raise _error(text, "write NAME=VALUE,VALUE with at least two different values, for example rounds=5,10,20")
    return name, values


def _convert(text: str, option: Option, value: str) -> Any:
    if option.type == "bool":
        if value not in ("true", "false"):
            raise _error(text, f"a value is true or false, not {value!r}")
        return value == "true"
    if option.type not in ("int", "float"):
        return value
    try:
        number = int(value) if option.type == "int" else float(value)
    except ValueError:
        raise _error(text, f"{value!r} is not {'a whole number' if option.type == 'int' else 'a number'}") from None
    problem = option.range.problem(number)
    if problem is not None:
        raise _error(text, f"a value {problem}")
    return number


def _error(text: str, problem: str) -> pytest.UsageError:
    return pytest.UsageError(f"--mcpbench-sweep={text}: {problem}")
