"""The parts of ``mcpbench generate``: servers, settings, the suite to make, and messages."""

import argparse
import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio

from pytest_mcpbench.agents.factory import make_agent
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.cli.arguments import split_named_value
from pytest_mcpbench.cli.conftest_hooks import result_of_hook
from pytest_mcpbench.cli.models import served_aliases
from pytest_mcpbench.cli.output import known_secrets
from pytest_mcpbench.cli.server_names import import_from_working_directory, server_by_name
from pytest_mcpbench.core.errors import McpBenchError, UsageError
from pytest_mcpbench.core.model_identity import identity_digest
from pytest_mcpbench.core.model_names import AGENTS_WITHOUT_MODEL, LOCAL
from pytest_mcpbench.core.secret_sources import public_name
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.usage import NO_USAGE, Usage
from pytest_mcpbench.definitions.canonical import ServerDefinition, canonical_json
from pytest_mcpbench.files.atomic_file import replace_file
from pytest_mcpbench.generation import pipelines
from pytest_mcpbench.generation.making import end_of, run_pipeline
from pytest_mcpbench.generation.pipeline.questions import Questions, estimate
from pytest_mcpbench.generation.pipeline.reply_cache import ReplyCache
from pytest_mcpbench.generation.pipeline.running import Listener
from pytest_mcpbench.generation.pipeline.settings import PipelineSettings, check_settings
from pytest_mcpbench.generation.pipeline.setup import Output, Pipeline, Setup, Solver
from pytest_mcpbench.generation.pipeline.stages import Stage, nothing_left, summary
from pytest_mcpbench.generation.pipeline.suite_text import suite_toml
from pytest_mcpbench.generation.pipeline.vocabulary import read_dictionary
from pytest_mcpbench.generation.reading_tools import deleted_names, looks
from pytest_mcpbench.loaders.manifest import UNNAMED, read_manifest
from pytest_mcpbench.loaders.mcp_json import server_entries
from pytest_mcpbench.loaders.registry_servers import read_registry_servers
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.runs.lock import RunLock
from pytest_mcpbench.runs.records import files_of_run, require_records
from pytest_mcpbench.simulated.catalogue import SERVERS
from pytest_mcpbench.suite_files.configured_servers import server_ids
from pytest_mcpbench.suite_files.server_paths import absolute, locate
from pytest_mcpbench.text.suggestions import hint

# Servers for ``mcpbench generate``, with their definitions for the files of the new suite.

_NAMED = re.compile(r"([A-Za-z][\w.-]*)=(.+)", re.DOTALL)
_SECRET_FIELDS = ("env", "environment", "headers")


@dataclass(frozen=True)
class ServerDefinitions:
    """Definitions of servers as a suite's files state them."""

    in_suite_toml: dict[str, Any] = field(default_factory=dict)
    """Servers of command lines: a line or a table, by name."""
    in_mcp_json: dict[str, Any] = field(default_factory=dict)
    """Servers of client files, by name, with environment variables in place of secrets."""
    categories: dict[str, list[str]] = field(default_factory=dict)
    """Category -> servers, as registries say."""

    @property
    def mcp_json(self) -> str:
        """Return the text of the suite's ``mcp.json``."""
        return json.dumps({"mcpServers": self.in_mcp_json}, indent=2, ensure_ascii=False) + "\n"


def defined_servers(
    lines: Iterable[str], client_files: Iterable[Path], registry_files: Iterable[Path] = ()
) -> ServerDefinitions:
    """Return the servers of command lines (``[NAME=]LINE``), of client files and of registries' ``server.json`` files.

    Raises:
        UsageError: two servers have the same name, or a line or file is not a server.
    """
    found = ServerDefinitions()
    for line in lines:
        name, definition = _server_of_line(line)
        _add(found.in_suite_toml, name, definition, found)
    for file in client_files:
        for name, entry in server_entries(file.read_text(encoding="utf-8-sig"), str(file)).items():
            _add(found.in_mcp_json, name, _without_secrets(entry), found)
    for file in registry_files:
        for server in read_registry_servers(file.read_text(encoding="utf-8-sig"), str(file)):
            _add(found.in_mcp_json, server.name, _without_secrets(server.entry), found)
            if server.category is not None:
                found.categories.setdefault(server.category, []).append(server.name)
    return found


def _add(part: dict[str, Any], name: str, definition: Any, found: ServerDefinitions) -> None:
    if name in found.in_suite_toml or name in found.in_mcp_json:
        raise UsageError(f"two servers are called {name!r}; name one of them yourself: --server 'NAME={definition}'.")
    part[name] = definition


def _server_of_line(line: str) -> tuple[str, Any]:
    named = _NAMED.fullmatch(line)
    name, line = named.groups() if named else (None, line)
    if line in SERVERS:
        return name or line, {"simulated": line}
    if line.endswith(".py") and " " not in line:
        line = f"python {line}"
    ref = server_by_name(line)
    known_secrets().add_servers([ref])
    if name is None:
        (label,) = server_ids([(Path("mcp.json"), ref.model_copy(update={"name": UNNAMED}))])
        name = re.sub(r"[^A-Za-z0-9-]+", "-", re.sub(r"\.(py|m?js|ts)$", "", label)).strip("-") or UNNAMED
    return name, line


def _without_secrets(entry: Any) -> Any:
    """Return the entry of a client file; a value that is a secret becomes ``${NAME}``."""
    if not isinstance(entry, Mapping):
        return entry
    secrets = known_secrets()
    return {
        key: {
            name: f"${{{name.upper().replace('-', '_')}}}" if secrets.remove(str(each)) != str(each) else each
            for name, each in value.items()
        }
        if key in _SECRET_FIELDS and isinstance(value, Mapping)
        else value
        for key, value in entry.items()
    }


# Suite that ``mcpbench generate`` makes, as it is known before the run: directories, servers and categories.

SANDBOX_FILES = "files"
"""Directory of the suite with the files of ``--files``."""


def plan_output(options: argparse.Namespace, pipeline: Pipeline) -> Output:
    """Return the directories of a run, and the texts of the suite's ``suite.toml`` and ``mcp.json``.

    Raises UsageError for a directory that has a suite already, and for servers or categories that cannot be used.
    """
    directory, work = _directories(options, pipeline)
    servers = defined_servers(options.server, options.mcp_config, options.server_json)
    # The texts of `suite.toml` and, if servers of client files are used, of `mcp.json`, by their names.
    user = {"user": public_name(options.model)} if pipeline.plays_user else {}
    has_mcp_json = bool(servers.in_mcp_json)
    named = (split_named_value(pair, "--category") for pair in options.category)
    categories = {name: names.split(",") for name, names in named}
    assigned = {server for own in categories.values() for server in own}
    for category, own in servers.categories.items():
        categories.setdefault(category, []).extend(server for server in own if server not in assigned)
    known = {*servers.in_suite_toml, *servers.in_mcp_json}
    for name in (server for own in categories.values() for server in own):
        if name not in known:
            raise UsageError(f"--category: no server is called {name!r}. {hint(name, known)}")
    toml = suite_toml(
        {"title": pipeline.title, "source": pipeline.source, **pipeline.suite_fields, **user},
        servers=servers.in_suite_toml,
        categories=categories,
        has_mcp_json=has_mcp_json,
    )
    if known_secrets().remove(toml) != toml:
        raise UsageError(
            "--server: the line has a secret, which the suite must not contain; write ${NAME} in its place."
        )
    texts = {"suite.toml": toml, **({"mcp.json": servers.mcp_json} if has_mcp_json else {})}
    return Output(directory, work, texts)


def prepare_suite(output: Output, files: Path | None) -> SuiteManifest:
    """Return the suite with absolute paths of its servers.

    The files that its servers read are written at once; the others when there are tasks.
    """
    if files is not None:
        for path in sorted(files.rglob("*")):
            if not path.is_file() and not path.is_dir():
                raise UsageError(f"--files: {path} is a broken link or a special file. Leave it out.")
        shutil.copytree(files, output.directory / SANDBOX_FILES, dirs_exist_ok=True)
    if "mcp.json" in output.texts:
        output.directory.mkdir(parents=True, exist_ok=True)
        replace_file(output.directory / "mcp.json", output.texts["mcp.json"].encode())
    suite = read_manifest(output.texts["suite.toml"], output.directory / "suite.toml", os.environ)
    known_secrets().add_suite(suite)
    directory = output.directory
    servers = {name: absolute(locate(ref, directory, Path.cwd()), directory) for name, ref in suite.servers.items()}
    return suite.model_copy(update={"servers": servers})


def _directories(options: argparse.Namespace, pipeline: Pipeline) -> tuple[Path, Path]:
    """Return the directory of the suite and that of the stages."""
    if options.out is None:
        raise UsageError("--out: name the directory of the new suite, such as --out suites/mine.")
    out: Path = options.out.resolve()
    work: Path = (options.work or options.out.with_name(f"{options.out.name}.work")).resolve()
    made = end_of(pipeline).main_file
    if (out / made).exists() and not work.exists():
        raise UsageError(f"{options.out}: there is a {made} already; name another directory with --out, or delete it.")
    return out, work


# Setup of a run of ``mcpbench generate``: settings, models, dictionaries and inputs.

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
    known = [tool.name for server in suite.servers.values() for tool in server.tools]
    for name in options.call:
        if name != "all" and name not in known:
            raise UsageError(f"--call: no server has a tool {name!r}. {hint(name, known)}")
    inputs = tuple(file for path in options.input for file in _input_files(path))
    dictionaries = dict(split_named_value(pair, "--dictionary") for pair in options.dictionary)
    replies = ReplyCache(output.work / _REPLIES, known_secrets(), most_cost_usd=options.max_cost)
    solver = None
    settings = _settings(options, suite, dictionaries, inputs)
    questions = _questions(options, suite.models, replies)
    if options.solver:
        agent = make_agent(options.solver, suite.models)
        solver = Solver(options.solver, agent, options.solver not in AGENTS_WITHOUT_MODEL)
    return Setup(
        settings,
        suite.manifest,
        suite.servers,
        suite.pool,
        questions=questions,
        solver=solver,
        replies=replies,
        dictionaries={name: read_dictionary(Path(file)) for name, file in dictionaries.items()},
        inputs=inputs,
        files=output.directory / SANDBOX_FILES if options.files is not None else None,
        concurrency=options.concurrency,
    )


def _settings(
    options: argparse.Namespace, suite: ConnectedSuite, dictionaries: Mapping[str, str], inputs: Sequence[Path]
) -> PipelineSettings:
    files = sorted(path for path in options.files.rglob("*") if path.is_file()) if options.files is not None else []
    definitions = {
        name: canonical_json([tool.canonical for tool in definition.tools]).encode()
        for name, definition in suite.servers.items()
    }
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
        inputs={str(path): _sha256(path) for path in (*inputs, *files)},
        servers={name: hashlib.sha256(definition).hexdigest() for name, definition in definitions.items()},
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


def _input_files(path: Path) -> list[Path]:
    """Return a file, or the files of the records of a run if the path is its directory."""
    if not path.is_dir():
        return [path]
    require_records(path)
    return list(files_of_run(path))


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


# Messages of a run that makes a suite: estimate and confirmation, progress, and costs.


@dataclass(frozen=True)
class Confirmation:
    """Confirmation of a run that asks a model, by the user who sees the estimate."""

    options: argparse.Namespace
    models: Models

    def __call__(self, stages: Sequence[Stage], candidates: int) -> None:
        found = estimate(stages, candidates, self._cost)
        tell(f"{' and '.join(self._names)}: {found.sentence}, if no candidate is dropped before.")
        if self.options.yes:
            return
        if not sys.stdin.isatty():
            raise UsageError(
                "standard input is no terminal, so nobody can confirm this: add --yes, and --max-cost USD for a budget."
            )
        if input("Go on? [y/N] ").strip().casefold() not in ("y", "yes"):
            raise UsageError("not confirmed, so no question was asked.")

    @property
    def _names(self) -> list[str]:
        """Names of the models that are asked."""
        named = (self.options.model, self.options.solver)
        return list(dict.fromkeys(name for name in named if name and name not in (NO_MODEL, *AGENTS_WITHOUT_MODEL)))

    def _cost(self, usage: Usage) -> float | None:
        """Return the cost of a request to the dearest of them; ``None`` if the price of one is unknown."""
        prices = [self.models.price(name) for name in self._names]
        costs = [None if price is None else price.cost(usage) for price in prices]
        known = [cost for cost in costs if cost is not None]
        return max(known) if known and len(known) == len(costs) else None


def spending_text(usage: Usage, asked: int) -> str:
    """Return the questions of a run, and the costs of its work directory with those of the solver."""
    cost = "at an unknown price" if usage.cost_usd is None else f"${usage.cost_usd:.4f}"
    tokens = f"{usage.input_tokens} tokens read, {usage.output_tokens} written"
    return f"{asked} questions now; in all {tokens}, {cost}"


def show_progress(stage: str, finished: int, total: int | None) -> None:
    """Show the progress of a stage in one line of a terminal."""
    if sys.stderr.isatty():
        state = "…" if total is None else f"{finished} of {total}"
        end = "\n" if finished == total else ""
        print(f"\r{stage}: {state}\x1b[K", end=end, file=sys.stderr, flush=True)


def tell(sentence: str) -> None:
    """Print a sentence to standard error."""
    print(f"mcpbench: {sentence}", file=sys.stderr)


def generate_suite(options: argparse.Namespace) -> int:
    """Run the pipeline that the options describe; return 0 if it led to a task, otherwise 1."""
    import_from_working_directory()
    pipeline: Pipeline | None = result_of_hook("pytest_mcpbench_make_pipeline", pipeline=options.pipeline)
    if pipeline is None and options.pipeline not in pipelines.NAMES:
        raise UsageError(f"--pipeline: there is no {options.pipeline!r}. {hint(options.pipeline, pipelines.NAMES)}")
    pipeline = pipeline or pipelines.pipeline(options.pipeline)
    if pipeline.needs_model and options.model == NO_MODEL:
        raise UsageError(f"--pipeline {options.pipeline} needs a model: name one with --model.")
    if options.model == NO_MODEL and any(name != "English" for name in options.language or ()):
        raise UsageError("--language: rules write English only; name a model with --model.")
    if pipeline.needs_inputs and not options.input:
        raise UsageError(f"--pipeline {options.pipeline} reads files: name them with --input.")
    output = plan_output(options, pipeline)
    suite = prepare_suite(output, options.files)
    names = [name for name in (options.model, options.solver) if name and name != NO_MODEL]
    with served_aliases(",".join(names)) as aliases:
        known_secrets().add_models(names, aliases)
        return anyio.run(_generate, options, pipeline, output, suite, aliases)


def _with_call_settings(
    pipeline: Pipeline, suite: SuiteManifest, definitions: Mapping[str, ServerDefinition], output: Output
) -> tuple[SuiteManifest, Output]:
    """Return the suite and its texts with settings by which an agent may look around, but deletes what it names."""
    tools = [tool for server in definitions.values() for tool in server.tools]
    options = {name: values for name, values in (("looks", looks(tools)), ("exact", deleted_names(tools))) if values}
    if not options or not pipeline.call_metrics:
        return suite, output
    settings: dict[str, dict[str, Any]] = {name: dict(options) for name in pipeline.call_metrics}
    if "looks" in options:
        # To look for something that is not there is no mistake.
        settings["tool_success"] = {"empty_is_failure": False}
    tables = "".join(
        f"\n[metric_settings.{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in of_metric.items())
        for name, of_metric in settings.items()
    )
    texts = {**output.texts, "suite.toml": output.texts["suite.toml"] + tables}
    return suite.model_copy(update={"metric_settings": settings}), replace(output, texts=texts)


async def _generate(
    options: argparse.Namespace, pipeline: Pipeline, output: Output, suite: SuiteManifest, aliases: Mapping[str, Any]
) -> int:
    lock = RunLock(output.work, option="--work")
    lock.acquire()
    try:
        async with Models(aliases) as models, ServerPool(root=Path.cwd(), models=models) as pool:
            definitions: dict[str, ServerDefinition] = {}
            for name, ref in suite.servers.items():
                show_progress("servers", len(definitions), len(suite.servers))
                definitions[name] = await pool.definition(ref, files=options.files)
            show_progress("servers", len(definitions), len(definitions))
            suite, output = _with_call_settings(pipeline, suite, definitions, output)
            setup = make_setup(options, ConnectedSuite(suite, definitions, pool, models), output)
            check_settings(output.work, setup.settings)
            listener = Listener(Confirmation(options, models), show_progress, tell)
            try:
                result = await run_pipeline(pipeline, setup, output.work, listener, known_secrets())
            except (McpBenchError, anyio.get_cancelled_exc_class()):
                tell(f"everything so far is in {os.path.relpath(output.work)}; repeat the command to go on from there")
                raise
            print(summary(result.counts))
            if setup.replies is not None and setup.replies.usage != NO_USAGE:
                print(spending_text(setup.replies.usage, setup.questions.asked if setup.questions is not None else 0))
            if not result.candidates:
                tell(f"{nothing_left(result.counts)}; the files in {os.path.relpath(output.work)} have all reasons")
                return 1
            print(end_of(pipeline).write(pipeline, setup, result, output))
            return 0
    finally:
        lock.release()
