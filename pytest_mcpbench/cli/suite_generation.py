"""Run of a pipeline that makes a suite: its servers, models, settings and files."""

import argparse
import hashlib
import os
import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio

from pytest_mcpbench.cli.generated_servers import ServerDefinitions, defined_servers
from pytest_mcpbench.cli.generation_messages import Confirmation, show_progress, spending_text, tell
from pytest_mcpbench.cli.local_models import served_aliases
from pytest_mcpbench.cli.output import known_secrets
from pytest_mcpbench.cli.server_names import import_from_working_directory
from pytest_mcpbench.core.errors import McpBenchError, UsageError
from pytest_mcpbench.core.model_identity import identity_digest
from pytest_mcpbench.core.model_names import AGENTS_WITHOUT_MODEL, LOCAL
from pytest_mcpbench.core.secret_sources import public_name
from pytest_mcpbench.core.suggestions import hint
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.trajectory import NO_USAGE
from pytest_mcpbench.definitions.canonical import ServerDefinition, canonical_json
from pytest_mcpbench.generation import pipelines
from pytest_mcpbench.generation.making import end_of, run_pipeline
from pytest_mcpbench.generation.pipeline.dictionaries import read_dictionary
from pytest_mcpbench.generation.pipeline.questions import Questions
from pytest_mcpbench.generation.pipeline.reply_cache import ReplyCache
from pytest_mcpbench.generation.pipeline.running import Listener
from pytest_mcpbench.generation.pipeline.settings import PipelineSettings, check_settings
from pytest_mcpbench.generation.pipeline.setup import Output, Pipeline, Setup, Solver
from pytest_mcpbench.generation.pipeline.suite_text import suite_toml
from pytest_mcpbench.generation.pipeline.summary import nothing_left, summary
from pytest_mcpbench.loaders.manifest import read_manifest
from pytest_mcpbench.runtime.agents.factory import make_agent
from pytest_mcpbench.runtime.atomic_file import replace_file
from pytest_mcpbench.runtime.models.factory import Models
from pytest_mcpbench.runtime.records import files_of_run, require_records
from pytest_mcpbench.runtime.run_lock import RunLock
from pytest_mcpbench.runtime.server_pool import ServerPool
from pytest_mcpbench.runtime.suites.server_paths import absolute, locate

_NO_MODEL = "none"
_REPLIES = "replies.jsonl"
_LOCAL_REPLY_TOKENS = 500
"""Tokens of a reply of the small model, which thinks nothing before it writes."""
_SANDBOX_FILES = "files"
"""Directory of the suite with the files of ``--files``."""


@dataclass(frozen=True)
class _Files:
    """Directories of a run, and the texts of the suite that are known before it."""

    out: Path
    work: Path
    texts: Mapping[str, str]


def generate_suite(options: argparse.Namespace) -> int:
    """Run the pipeline that the options describe; return 0 if something came of it."""
    import_from_working_directory()
    pipeline = _pipeline(options)
    files, suite = _files(options, pipeline)
    names = [name for name in (options.model, options.solver) if name and name != _NO_MODEL]
    with served_aliases(",".join(names)) as aliases:
        known_secrets().add_models(names, aliases)
        return anyio.run(_generate, options, pipeline, files, suite, aliases)


def _pipeline(options: argparse.Namespace) -> Pipeline:
    if options.pipeline not in pipelines.NAMES:
        raise UsageError(f"--pipeline: there is no {options.pipeline!r}. {hint(options.pipeline, pipelines.NAMES)}")
    pipeline = pipelines.pipeline(options.pipeline)
    if pipeline.needs_model and options.model == _NO_MODEL:
        raise UsageError(f"--pipeline {options.pipeline} needs a model: name one with --model.")
    if options.model == _NO_MODEL and any(name != "English" for name in options.language or ()):
        raise UsageError("--language: rules write English only; name a model with --model.")
    if pipeline.needs_inputs and not options.input:
        raise UsageError(f"--pipeline {options.pipeline} reads files: name them with --input.")
    return pipeline


def _files(options: argparse.Namespace, pipeline: Pipeline) -> tuple[_Files, SuiteManifest]:
    """Return the directories, and the suite as it will be, with its servers."""
    if options.out is None:
        raise UsageError("--out: name the directory of the new suite, such as --out suites/mine.")
    out: Path = options.out.resolve()
    work: Path = (options.work or options.out.with_name(f"{options.out.name}.work")).resolve()
    made = end_of(pipeline).main_file
    if (out / made).exists() and not work.exists():
        raise UsageError(f"{options.out}: there is a {made} already; name another directory with --out, or delete it.")
    servers = defined_servers(options.server, options.mcp_config, options.server_json)
    categories = _categories(options.category)
    named = {server for own in categories.values() for server in own}
    for category, own in servers.categories.items():
        categories.setdefault(category, []).extend(server for server in own if server not in named)
    _check_categories(categories, {*servers.in_suite_toml, *servers.in_mcp_json})
    user = {"user": public_name(options.model)} if pipeline.plays_user else {}
    texts = _texts(servers, {**pipeline.suite_fields, **user}, pipeline, categories)
    if options.files is not None:
        shutil.copytree(options.files, out / _SANDBOX_FILES, dirs_exist_ok=True)
    return _Files(out, work, texts), _suite(texts, out)


def _texts(
    servers: ServerDefinitions, suite_fields: Mapping[str, Any], pipeline: Pipeline, categories: Mapping[str, Any]
) -> dict[str, str]:
    fields = {"title": pipeline.title, "source": pipeline.source, **suite_fields}
    has_mcp_json = bool(servers.in_mcp_json)
    toml = suite_toml(fields, servers=servers.in_suite_toml, categories=categories, has_mcp_json=has_mcp_json)
    if known_secrets().remove(toml) != toml:
        raise UsageError(
            "--server: the line has a secret, which the suite must not contain; write ${NAME} in its place."
        )
    return {"suite.toml": toml, **({"mcp.json": servers.mcp_json} if has_mcp_json else {})}


def _suite(texts: Mapping[str, str], out: Path) -> SuiteManifest:
    """Return the suite of these files, which are not written before there are tasks."""
    if "mcp.json" in texts:
        out.mkdir(parents=True, exist_ok=True)
        replace_file(out / "mcp.json", texts["mcp.json"].encode())
    suite = read_manifest(texts["suite.toml"], out / "suite.toml", os.environ)
    known_secrets().add_suite(suite)
    servers = {name: absolute(locate(ref, out, Path.cwd()), out) for name, ref in suite.servers.items()}
    return suite.model_copy(update={"servers": servers})


def _categories(pairs: Sequence[str]) -> dict[str, list[str]]:
    return {name: servers.split(",") for name, servers in (_split_pair(pair, "--category") for pair in pairs)}


def _check_categories(categories: Mapping[str, Sequence[str]], servers: Collection[str]) -> None:
    """Raise UsageError for a category with a server that is not there."""
    for name in (server for own in categories.values() for server in own):
        if name not in servers:
            raise UsageError(f"--category: no server is called {name!r}. {hint(name, servers)}")


def _check_tools(names: Sequence[str], servers: Iterable[ServerDefinition]) -> None:
    """Raise UsageError for an allowed tool that no server has."""
    known = [tool.name for server in servers for tool in server.tools]
    for name in names:
        if name != "all" and name not in known:
            raise UsageError(f"--call: no server has a tool {name!r}. {hint(name, known)}")


def _split_pair(text: str, option: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise UsageError(f"{option}: write NAME=VALUE instead of {text!r}.")
    return name, value


async def _generate(
    options: argparse.Namespace, pipeline: Pipeline, files: _Files, suite: SuiteManifest, aliases: Mapping[str, Any]
) -> int:
    lock = RunLock(files.work, option="--work")
    lock.acquire()
    try:
        async with Models(aliases) as models, ServerPool(root=Path.cwd(), models=models) as pool:
            definitions = {name: await pool.definition(ref, files=options.files) for name, ref in suite.servers.items()}
            _check_tools(options.call, definitions.values())
            setup = _setup(options, _Connected(suite, definitions, pool, models), files)
            return await _make(options, pipeline, setup, files, models)
    finally:
        lock.release()


@dataclass(frozen=True)
class _Connected:
    """The suite with its servers and models."""

    suite: SuiteManifest
    servers: Mapping[str, ServerDefinition]
    pool: ServerPool
    models: Models


def _setup(options: argparse.Namespace, to: _Connected, files: _Files) -> Setup:
    inputs = tuple(file for path in options.input for file in _input_files(path))
    dictionaries = dict(_split_pair(pair, "--dictionary") for pair in options.dictionary)
    settings = PipelineSettings(
        pipeline=options.pipeline,
        tasks=options.tasks,
        seed=options.seed or 0,
        languages=tuple(options.language or ("English",)),
        model=_identity(options.model, to.models),
        solver=_identity(options.solver, to.models),
        trials=options.trials,
        callable_tools=tuple(sorted(options.call)),
        dictionaries={name: _sha256(Path(file)) for name, file in dictionaries.items()},
        inputs={str(path): _sha256(path) for path in (*inputs, *_files_below(options.files))},
        servers={name: _definition_sha256(definition) for name, definition in to.servers.items()},
    )
    replies = ReplyCache(files.work / _REPLIES, known_secrets(), most_cost_usd=options.max_cost)
    return Setup(
        settings,
        to.suite,
        to.servers,
        to.pool,
        questions=_questions(options, to.models, replies),
        solver=_solver(options, to.models),
        replies=replies,
        dictionaries={name: read_dictionary(Path(file)) for name, file in dictionaries.items()},
        inputs=inputs,
        files=files.out / _SANDBOX_FILES if options.files is not None else None,
        concurrency=options.concurrency,
    )


def _identity(name: str | None, models: Models) -> str:
    """Return the model's name with a digest of all that determines its replies; empty without a model."""
    if not name or name == _NO_MODEL:
        return ""
    return f"{public_name(name)} ({identity_digest(models.identity(name))})"


def _questions(options: argparse.Namespace, models: Models, replies: ReplyCache) -> Questions | None:
    if options.model == _NO_MODEL:
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


async def _make(options: argparse.Namespace, pipeline: Pipeline, setup: Setup, files: _Files, models: Models) -> int:
    listener = Listener(Confirmation(options, models), show_progress, tell)
    check_settings(files.work, setup.settings)
    try:
        result = await run_pipeline(pipeline, setup, files.work, listener, known_secrets())
    except (McpBenchError, anyio.get_cancelled_exc_class()):
        tell(f"everything so far is in {_shown(files.work)}; the same command goes on from there")
        raise
    print(summary(result.counts))
    if setup.replies is not None and setup.replies.usage != NO_USAGE:
        print(spending_text(setup.replies.usage, setup.questions.asked if setup.questions is not None else 0))
    if not result.candidates:
        tell(f"{nothing_left(result.counts)}; the files in {_shown(files.work)} have all reasons")
        return 1
    print(end_of(pipeline).write(pipeline, setup, result, Output(files.out, files.work, files.texts)))
    return 0


def _shown(path: Path) -> str:
    return os.path.relpath(path)


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _input_files(path: Path) -> list[Path]:
    """Return a file, or the records of a run if the path is its directory."""
    if not path.is_dir():
        return [path]
    require_records(path)
    return list(files_of_run(path))


def _files_below(directory: Path | None) -> list[Path]:
    return [] if directory is None else sorted(path for path in directory.rglob("*") if path.is_file())


def _definition_sha256(definition: ServerDefinition) -> str:
    return hashlib.sha256(canonical_json([tool.canonical for tool in definition.tools]).encode()).hexdigest()
