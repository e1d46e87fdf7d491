"""Suite that ``mcpbench generate`` makes, as it is known before the run: directories, servers and categories."""

import argparse
import os
import shutil
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from pytest_mcpbench.cli.generated_servers import ServerDefinitions, defined_servers
from pytest_mcpbench.cli.named_values import split_named_value
from pytest_mcpbench.cli.output import known_secrets
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.secret_sources import public_name
from pytest_mcpbench.core.suggestions import hint
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.generation.making import end_of
from pytest_mcpbench.generation.pipeline.setup import Output, Pipeline
from pytest_mcpbench.generation.pipeline.suite_text import suite_toml
from pytest_mcpbench.loaders.manifest import read_manifest
from pytest_mcpbench.runtime.atomic_file import replace_file
from pytest_mcpbench.runtime.suites.server_paths import absolute, locate

SANDBOX_FILES = "files"
"""Directory of the suite with the files of ``--files``."""


def plan_output(options: argparse.Namespace, pipeline: Pipeline) -> Output:
    """Return the directories of a run, and the texts of the suite's ``suite.toml`` and ``mcp.json``.

    Raises UsageError for a directory that has a suite already, and for servers or categories that cannot be used.
    """
    directory, work = _directories(options, pipeline)
    servers = defined_servers(options.server, options.mcp_config, options.server_json)
    return Output(directory, work, _texts(options, pipeline, servers))


def prepare_suite(output: Output, files: Path | None) -> SuiteManifest:
    """Return the suite with absolute paths of its servers.

    The files that its servers read are written at once; the others when there are tasks.
    """
    if files is not None:
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


def _texts(options: argparse.Namespace, pipeline: Pipeline, servers: ServerDefinitions) -> dict[str, str]:
    """Return the texts of ``suite.toml`` and, if servers of client files are used, of ``mcp.json``, by their names."""
    user = {"user": public_name(options.model)} if pipeline.plays_user else {}
    has_mcp_json = bool(servers.in_mcp_json)
    toml = suite_toml(
        {"title": pipeline.title, "source": pipeline.source, **pipeline.suite_fields, **user},
        servers=servers.in_suite_toml,
        categories=_categories(options.category, servers),
        has_mcp_json=has_mcp_json,
    )
    if known_secrets().remove(toml) != toml:
        raise UsageError(
            "--server: the line has a secret, which the suite must not contain; write ${NAME} in its place."
        )
    return {"suite.toml": toml, **({"mcp.json": servers.mcp_json} if has_mcp_json else {})}


def _categories(pairs: Sequence[str], servers: ServerDefinitions) -> Mapping[str, Sequence[str]]:
    """Return category -> servers: those of ``--category``, and of registries for servers that it does not name."""
    named = (split_named_value(pair, "--category") for pair in pairs)
    categories = {name: names.split(",") for name, names in named}
    assigned = {server for own in categories.values() for server in own}
    for category, own in servers.categories.items():
        categories.setdefault(category, []).extend(server for server in own if server not in assigned)
    _check_categories(categories, {*servers.in_suite_toml, *servers.in_mcp_json})
    return categories


def _check_categories(categories: Mapping[str, Sequence[str]], servers: Collection[str]) -> None:
    """Raise UsageError for a category with a server that is not there."""
    for name in (server for own in categories.values() for server in own):
        if name not in servers:
            raise UsageError(f"--category: no server is called {name!r}. {hint(name, servers)}")
