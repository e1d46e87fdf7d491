"""``mcpbench marketplace``: count the servers of registries and marketplaces by category, and search them."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_mcpbench.cli.arguments import positive
from pytest_mcpbench.cli.output import terminal_columns, write_text
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.generation.marketplace import ListedServer, Marketplace, read_marketplace
from pytest_mcpbench.reporting.forms.display_text import one_line, terminal_safe

_NO_CATEGORY = "no category"
_WIDTH = 100
"""Characters of a line of the search's result where standard output is no terminal."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="FILE|DIR",
        help="server.json, server_meta.json, or a registry's list",
    )
    parser.add_argument("--search", metavar="WORDS", help="list the servers that fit the words best")
    parser.add_argument("--category", metavar="NAME", help="look at the servers of one category only")
    parser.add_argument("--most", type=positive, default=10, metavar="N", help="most servers of a search (default: 10)")
    parser.add_argument("--chart", type=Path, metavar="FILE.svg", help="draw the servers by category, as Figure 1 does")
    parser.add_argument("--json", action="store_true", help="write JSON")


def run(options: argparse.Namespace) -> int:
    index = _read(options)
    for problem in index.problems:
        print(f"mcpbench: {terminal_safe(problem)}", file=sys.stderr)
    if options.chart is not None:
        from pytest_mcpbench.reporting.charts.axis import Axis
        from pytest_mcpbench.reporting.charts.bars import bar_chart
        from pytest_mcpbench.reporting.charts.radar import Series

        title = "Distribution of MCP servers by category"
        names = [name or _NO_CATEGORY for name in index.categories]
        numbers = tuple(float(len(servers)) for servers in index.categories.values())
        axis = Axis("servers", "{:,.0f}".format)
        write_text([bar_chart(title, names, [Series("servers", numbers)], axis=axis).file()], options.chart)
    found = index.servers if options.search is None else _search(index.servers, options.search)[: options.most]
    if options.json:
        write_text([json.dumps(_content(index, found), indent=2, ensure_ascii=False), "\n"], None)
    else:
        lines = _counts(index) if options.search is None else _found(found, options.search)
        write_text((f"{line}\n" for line in lines), None)
    return 1 if options.search is not None and not found else 0


def _read(options: argparse.Namespace) -> Marketplace:
    """Return the index of the paths. Raises UsageError if there is no server in them."""
    index = read_marketplace(options.paths)
    if not index.servers:
        raise UsageError("; ".join((*index.problems, "no server is listed.")))
    if options.category is None:
        return index
    wanted = options.category.lower()
    servers = tuple(each for each in index.servers if each.category == wanted)
    if not servers:
        there_are = ", ".join(name for name in index.categories if name) or "none"
        raise UsageError(f"--category {options.category}: no server has it; there are: {there_are}.")
    return replace(index, servers=servers)


def _search(servers: Sequence[ListedServer], words: str) -> list[ListedServer]:
    """Return the servers that share words with a text, best first."""
    from pytest_mcpbench.agents.lexical.tool_ranking import ToolRanking

    scores = ToolRanking([server.document for server in servers]).word_scores(words)
    ranked = sorted(zip(scores, servers, strict=True), key=lambda pair: -pair[0])
    return [server for score, server in ranked if score > 0]


def _counts(index: Marketplace) -> Iterator[str]:
    """Yield a table of the categories with their servers and tools, and the sums."""
    names = [name or _NO_CATEGORY for name in index.categories]
    width = max(len("category"), *map(len, names))
    yield f"{'category':{width}}  servers  tools"
    for name, servers in zip(names, index.categories.values(), strict=True):
        known = [len(server.tools) for server in servers if server.tools is not None]
        tools = f"{sum(known):,}" if known else "–"
        yield terminal_safe(f"{one_line(name, 60):{width}}  {len(servers):7,}  {tools:>5}")
    listed = [server for server in index.servers if server.tools is not None]
    repeated = f"; {index.repeated:,} further entries have the name of an earlier one" if index.repeated else ""
    categories = sum(name is not None for name in index.categories)
    yield f"{len(index.servers):,} servers in {categories:,} categories; tools are known of {len(listed):,}{repeated}"


def _found(servers: Sequence[ListedServer], words: str) -> Iterator[str]:
    if not servers:
        yield f"no server shares a word with {terminal_safe(words)!r}"
    for server in servers:
        category = f" [{server.category}]" if server.category else ""
        line = f"{server.name}{category}: {server.description or 'no description'}"
        yield terminal_safe(one_line(line, terminal_columns() or _WIDTH))
        yield terminal_safe(f"    {server.file}")


def _content(index: Marketplace, servers: Sequence[ListedServer]) -> dict[str, Any]:
    return {
        "categories": [
            {
                "category": name,
                "servers": len(those),
                "tools": sum(len(server.tools or ()) for server in those),
                "servers_with_tools": sum(server.tools is not None for server in those),
            }
            for name, those in index.categories.items()
        ],
        "servers": [
            {
                "name": server.name,
                "title": server.title,
                "category": server.category,
                "description": server.description,
                "tools": None if server.tools is None else dict(server.tools),
                "file": str(server.file),
            }
            for server in servers
        ],
        "problems": list(index.problems),
    }
