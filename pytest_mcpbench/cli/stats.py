"""``mcpbench stats``: print the sizes of a suite's tasks, as Table 1 of FinMCP-Bench does."""

import argparse
from pathlib import Path

import anyio

from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.cli.output import terminal_columns, write_text
from pytest_mcpbench.cli.server_names import import_from_working_directory
from pytest_mcpbench.cli.suites import load_readable_part
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.reporting.papers import suite_statistics
from pytest_mcpbench.reporting.papers.suite_statistics import SuiteStatistics
from pytest_mcpbench.reporting.papers.task_sizes import size_of
from pytest_mcpbench.reporting.tables.grid import CellForm
from pytest_mcpbench.suite_files.discovery import find_suites


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", metavar="SUITE", help="name of a suite, its directory, or a task file")
    parser.add_argument("--by", action="append", default=[], metavar="TAG", help="group the tasks by a tag; repeatable")
    parser.add_argument("--servers", action="store_true", help="start the servers and count the tools that they offer")
    parser.add_argument("--format", choices=suite_statistics.FORMATS, default="terminal")
    parser.add_argument("--counts", action="store_true", help="show the number of tasks behind each number")
    parser.add_argument("--out", type=Path, metavar="FILE|DIR", help="file to write; for svg, a directory")


def run(options: argparse.Namespace) -> int:
    # The sizes of the tasks that can be read.
    loaded = [load_readable_part(path) for path in find_suites(options.suite, Path.cwd())]
    errors = [error for suite in loaded for error in suite.errors]
    tasks = [record.task for suite in loaded for record in suite.records if record.task is not None]
    if errors and not tasks:
        raise UsageError(f"{options.suite}: no task can be read.")
    sizes = tuple(map(size_of, tasks))
    tools: tuple[ToolSpec, ...] | None = None
    if options.servers:
        import_from_working_directory()
        offered = [tool for suite in loaded for tool in anyio.run(_tools_of, suite.manifest)]
        tools = tuple({(tool.server, tool.tool): tool for tool in offered}.values())
    statistics = SuiteStatistics(
        loaded[0].manifest.name if len(loaded) == 1 else options.suite,
        sizes,
        unreadable=len(errors),
        tools=tools,
        by=tuple(options.by),
    )
    if options.format == suite_statistics.SVG:
        out = options.out
        if out is None or out.suffix:
            raise UsageError("name a directory for the histograms, as in --format svg --out charts.")
        for name, figure in statistics.figures():
            path = out / f"{statistics.name}-{name}.svg"
            write_text(figure.file(), path)
            print(path)
    else:
        columns = terminal_columns() if options.out is None else None
        text = suite_statistics.text(statistics, CellForm(counts=options.counts), options.format, columns)
        write_text(text, options.out)
    return 0


async def _tools_of(suite: SuiteManifest) -> list[ToolSpec]:
    async with ServerPool(root=Path.cwd()) as pool:
        definitions = {
            name: await pool.definition(ref, directory=Path(suite.directory)) for name, ref in suite.servers.items()
        }
    return [
        ToolSpec(
            name=tool.name,
            server=name,
            tool=tool.name,
            description=tool.description,
            input_schema=dict(tool.input_schema),
        )
        for name, definition in definitions.items()
        for tool in definition.tools
    ]
