"""Setup of a run of ``mcpbench generate``: settings, models, dictionaries and inputs."""

import argparse
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_mcpbench.cli.named_values import split_named_value
from pytest_mcpbench.cli.output import known_secrets
from pytest_mcpbench.cli.planned_suite import SANDBOX_FILES
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.model_identity import identity_digest
from pytest_mcpbench.core.model_names import AGENTS_WITHOUT_MODEL, LOCAL
from pytest_mcpbench.core.secret_sources import public_name
from pytest_mcpbench.core.suggestions import hint
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.definitions.canonical import ServerDefinition, canonical_json
from pytest_mcpbench.generation.pipeline.dictionaries import read_dictionary
from pytest_mcpbench.generation.pipeline.questions import Questions
from pytest_mcpbench.generation.pipeline.reply_cache import ReplyCache
from pytest_mcpbench.generation.pipeline.settings import PipelineSettings
from pytest_mcpbench.generation.pipeline.setup import Output, Setup, Solver
from pytest_mcpbench.runtime.agents.factory import make_agent
from pytest_mcpbench.runtime.models.factory import Models
from pytest_mcpbench.runtime.records import files_of_run, require_records
from pytest_mcpbench.runtime.server_pool import ServerPool

NO_MODEL = "none"
"""Name that stands for rules in place of a model."""
_REPLIES = "replies.jsonl"
_LOCAL_REPLY_TOKENS = 500
"""Tokens after which a reply of the small model ``local`` is cut off."""


@dataclass(frozen=True)
class ConnectedSuite:
    """Suite with the definitions of its servers, and with the models of the run."""

    manifest: SuiteManifest
    servers: Mapping[str, ServerDefinition]
    pool: ServerPool
    models: Models


def make_setup(options: argparse.Namespace, suite: ConnectedSuite, output: Output) -> Setup:
    """Return the setup that the options describe. Raises UsageError for an allowed tool that no server has."""
    _check_tools(options.call, suite.servers)
    inputs = tuple(file for path in options.input for file in _input_files(path))
    dictionaries = dict(split_named_value(pair, "--dictionary") for pair in options.dictionary)
    replies = ReplyCache(output.work / _REPLIES, known_secrets(), most_cost_usd=options.max_cost)
    return Setup(
        _settings(options, suite, dictionaries, inputs),
        suite.manifest,
        suite.servers,
        suite.pool,
        questions=_questions(options, suite.models, replies),
        solver=_solver(options, suite.models),
        replies=replies,
        dictionaries={name: read_dictionary(Path(file)) for name, file in dictionaries.items()},
        inputs=inputs,
        files=output.directory / SANDBOX_FILES if options.files is not None else None,
        concurrency=options.concurrency,
    )


def _check_tools(names: Sequence[str], servers: Mapping[str, ServerDefinition]) -> None:
    """Raise UsageError for an allowed tool that no server has."""
    known = [tool.name for server in servers.values() for tool in server.tools]
    for name in names:
        if name != "all" and name not in known:
            raise UsageError(f"--call: no server has a tool {name!r}. {hint(name, known)}")


def _settings(
    options: argparse.Namespace, suite: ConnectedSuite, dictionaries: Mapping[str, str], inputs: Sequence[Path]
) -> PipelineSettings:
    return PipelineSettings(
        pipeline=options.pipeline,
        tasks=options.tasks,
        seed=options.seed or 0,
        languages=tuple(options.language or ("English",)),
        model=_identity(options.model, suite.models),
        solver=_identity(options.solver, suite.models),
        trials=options.trials,
        callable_tools=tuple(sorted(options.call)),
        dictionaries={name: _sha256(Path(file)) for name, file in dictionaries.items()},
        inputs={str(path): _sha256(path) for path in (*inputs, *_files_below(options.files))},
        servers={name: _definition_sha256(definition) for name, definition in suite.servers.items()},
    )


def _identity(name: str | None, models: Models) -> str:
    """Return the model's name with a digest of all that determines its replies; empty without a model."""
    if not name or name == NO_MODEL:
        return ""
    return f"{public_name(name)} ({identity_digest(models.identity(name))})"


def _questions(options: argparse.Namespace, models: Models, replies: ReplyCache) -> Questions | None:
    if options.model == NO_MODEL:
        return None
    return Questions(
        models.get(options.model),
        replies,
        identity=models.identity(options.model),
        seed=options.seed or 0,
        most_reply_tokens=_LOCAL_REPLY_TOKENS if options.model == LOCAL else None,
    )


def _solver(options: argparse.Namespace, models: Models) -> Solver | None:
    if not options.solver:
        return None
    return Solver(options.solver, make_agent(options.solver, models), options.solver not in AGENTS_WITHOUT_MODEL)


def _input_files(path: Path) -> list[Path]:
    """Return a file, or the records of a run if the path is its directory."""
    if not path.is_dir():
        return [path]
    require_records(path)
    return list(files_of_run(path))


def _files_below(directory: Path | None) -> list[Path]:
    return [] if directory is None else sorted(path for path in directory.rglob("*") if path.is_file())


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _definition_sha256(definition: ServerDefinition) -> str:
    return hashlib.sha256(canonical_json([tool.canonical for tool in definition.tools]).encode()).hexdigest()
