"""Table of the commands of ``mcpbench``, and the function that runs one of them.

Each command is a module of this package with the command's name, ``add_arguments(parser)`` and ``run(options)``. Only
the module of the command that is run is imported, so ``mcpbench --help`` stays fast whatever a command needs.
"""

import argparse
import sys
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol, cast

from pytest_mcpbench import __version__
from pytest_mcpbench.cli.output import filtered_output, print_problem

COMMANDS: Mapping[str, str] = {
    "init": "write proposals of tasks, the lock, a snapshot test and a workflow for a server",
    "lock": "write what clients see of a server to tools.lock.json, or check it",
    "tools": "list the tools of servers, as a client sees them",
    "login": "log in to a server at a URL with OAuth, and store the tokens",
    "check-protocol": "check servers against the rules of the protocol",
    "call": "call one tool of a server and print its result",
    "lint": "find what misleads agents in tool definitions, and tasks that can show nothing",
    "findability": "measure whether tool search finds the tools that tasks need",
    "clients": "list the profiles of MCP clients, as which models can see servers",
    "mutate": "change what agents read of a server, and see which changes its tasks notice",
    "comment": "show a Markdown report as one comment on a pull request or merge request",
    "report": "show finished runs again, alone or together",
    "history": "show how results, costs and sizes change over runs, and keep them in one small file",
    "view": "show runs in a browser, also while they go on",
    "show": "print one attempt of a run whole",
    "export": "write the data of runs for other programs",
    "paper": "print the tables and figures of a benchmark's paper from runs",
    "merge": "join the records of shards, machines and models into one run",
    "compare": "compare two runs on the tasks that both have",
    "rescore": "score a finished run again with the present metrics and references",
    "judge-agreement": "measure a judge against labels of people",
    "fetch": "download a public benchmark's files",
    "serve": "serve a simulated server over stdio or HTTP",
    "harbor": "serve and score an exported task in a container of Harbor",
    "new-server": "write a simulated server that works, with a test and a task",
    "fidelity": "compare a simulation with recorded calls of the real server",
    "record-traces": "record calls of a real server, for fidelity",
    "audit": "change right attempts into wrong ones and list those that pass",
    "item-analysis": "measure which tasks of a suite tell agents of different ability apart",
    "review": "let people accept, edit and reject tasks, and measure their agreement",
    "stats": "print the sizes of the tasks of a suite, as Table 1 of FinMCP-Bench",
    "record-effects": "record what the references of a suite change, for the metric effects",
    "marketplace": "count the servers of registries and marketplaces by category, and search them",
    "generate": "make a suite for servers of your own, or the task files of a shipped suite",
}
"""The commands with their help. The module of a command has its name, with ``_`` for ``-``."""


class CommandModule(Protocol):
    """A module of one command."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments and options to its parser."""

    def run(self, options: argparse.Namespace) -> int:
        """Run the command and return its exit code."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    An error that the user can mend is one line on standard error and exit code 2, never a traceback.
    """
    width = max(map(len, COMMANDS))
    parser = argparse.ArgumentParser(
        "mcpbench",
        usage="mcpbench [-h] [--version] COMMAND ...",
        description="Benchmark tasks for agents and MCP servers.",
        epilog="commands:\n" + "\n".join(f"  {name:{width}}  {text}" for name, text in COMMANDS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=__version__)
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="one of the commands below")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="mcpbench COMMAND --help lists them")
    chosen = parser.parse_args(arguments)
    command = _command(chosen.command)
    options = command_parser(chosen.command, command).parse_args(chosen.arguments)
    with filtered_output(chosen.arguments):
        return _run(command, options)


def _run(command: CommandModule, options: argparse.Namespace) -> int:
    from pytest_mcpbench.core.errors import McpBenchError, StorageError

    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning  # type: ignore[assignment]  # its further arguments are of no use
            return command.run(options)
    except StorageError as error:
        return print_problem(f"{error.cause} Make it writable or free some space, then run the command again.")
    except McpBenchError as error:
        return print_problem(str(error))
    except BrokenPipeError:
        # The reader of the output has closed it. Python would close it again at exit and print an error.
        sys.stdout = None
        return 0
    except OSError as error:
        return print_problem(f"{error.filename or ''}: {error.strerror or error}".removeprefix(": "))
    except KeyboardInterrupt:
        return 130


def command_parser(name: str, command: CommandModule | None = None) -> argparse.ArgumentParser:
    """Return the parser of one command's arguments."""
    help_text = COMMANDS[name]
    parser = argparse.ArgumentParser(f"mcpbench {name}", description=f"{help_text[0].upper()}{help_text[1:]}.")
    (command or _command(name)).add_arguments(parser)
    return parser


def _command(name: str) -> CommandModule:
    return cast("CommandModule", import_module(f"pytest_mcpbench.cli.{name.replace('-', '_')}"))


def _show_warning(message: Warning | str, *_others: Any) -> None:
    from pytest_mcpbench.reporting.forms.display_text import terminal_safe

    print(f"mcpbench: warning: {terminal_safe(str(message))}", file=sys.stderr)
