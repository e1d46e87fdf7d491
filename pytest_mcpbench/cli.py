"""The command ``mcpbench``: what is not a test run."""

import argparse
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mcpbench import __version__

if TYPE_CHECKING:
    from pytest_mcpbench.core.fidelity.trace import Trace
    from pytest_mcpbench.core.record import AttemptKey, RunRecord
    from pytest_mcpbench.core.report import Entry, Report
    from pytest_mcpbench.core.server import ServerRef
    from pytest_mcpbench.runtime.judge import Judge
    from pytest_mcpbench.runtime.judges.agreement import JudgeAgreement
    from pytest_mcpbench.runtime.merging import Merged
    from pytest_mcpbench.runtime.models.factory import Models
    from pytest_mcpbench.runtime.rescoring import Changes

DIRECTORY = "directory of a run: what --mcpbench-out was"
_SERVER_HELP = "a name of the catalogue, package.module:attribute, a command, or a URL"
_LISTED = 20
_GENERATED = ("atlas", "finmcp", "persona", "radar", "toolbench")
"""Suites whose task files are generated; each is a package of :mod:`pytest_mcpbench.generation`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. What the user must mend is one line on stderr and exit code 2, never a traceback."""
    from pytest_mcpbench.core.errors import McpBenchError

    options = _parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = options.run
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning  # type: ignore[assignment]  # its further arguments are of no use
            return run(options)
    except McpBenchError as error:
        return _complain(str(error))
    except BrokenPipeError:
        # Whoever read the output has seen enough; closing it again at exit would complain once more.
        sys.stdout = None
        return 0
    except OSError as error:
        return _complain(f"{error.filename or ''}: {error.strerror or error}".removeprefix(": "))
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("mcpbench", description="Benchmark tasks for agents and MCP servers.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (add, run, help_text) in _COMMANDS.items():
        command = commands.add_parser(name, help=help_text, description=help_text[0].upper() + help_text[1:] + ".")
        add(command)
        command.set_defaults(run=run)
    return parser


def _add_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directories", type=Path, nargs="+", metavar="DIR", help=DIRECTORY)
    parser.add_argument("--format", choices=("terminal", "markdown", "json", "html"), default="terminal")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write there instead of to standard output")
    parser.add_argument("-v", "--verbose", action="count", default=0, help="also by tag, what went wrong, tools")


def _report(options: argparse.Namespace) -> int:
    report, homes = _gathered(options.directories)
    _write(_shown(report, homes, options), options.out)
    return 0


def _gathered(directories: Sequence[Path]) -> "tuple[Report, list[Path]]":
    """The runs of all directories as one, with the directory of each entry; a later one replaces equal attempts."""
    from pytest_mcpbench.core.report import Report
    from pytest_mcpbench.runtime.records import read_report

    reports = {directory: read_report(directory) for directory in directories}
    latest = {entry.attempt: (entry, home) for home, report in reports.items() for entry in report.entries}
    if len(reports) == 1:
        return next(iter(reports.values())), [home for _, home in latest.values()]
    return Report(entries=tuple(entry for entry, _ in latest.values())), [home for _, home in latest.values()]


def _shown(report: "Report", homes: Sequence[Path], options: argparse.Namespace) -> Iterable[str]:
    if options.format == "terminal":
        from pytest_mcpbench.reporting import terminal

        return "\n".join(terminal.lines(report, verbosity=options.verbose)) + "\n"
    if options.format == "markdown":
        from pytest_mcpbench.reporting import markdown

        return markdown.text(report)
    if options.format == "json":
        from pytest_mcpbench.reporting import json

        return json.text(report)
    from pytest_mcpbench.reporting import html

    return html.page(report, _with_records(report, homes))


def _with_records(report: "Report", homes: Sequence[Path]) -> "Iterator[tuple[Entry, RunRecord | None]]":
    """Each entry with its record, read when it is needed."""
    from pytest_mcpbench.runtime.records import read_record

    for entry, home in zip(report.entries, homes, strict=True):
        yield entry, read_record(home, entry.record) if entry.record else None


def _add_merge(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directories", type=Path, nargs="+", metavar="DIR", help=DIRECTORY)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the joined run goes")
    parser.add_argument("--format", choices=("terminal", "markdown", "json", "html"), default="terminal")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the report there, not to standard output")
    parser.add_argument("-v", "--verbose", action="count", default=0, help="also by tag, what went wrong, tools")
    parser.add_argument("--fail-if-missing", action="store_true", help="exit code 1 where shards or tasks are missing")


def _merge(options: argparse.Namespace) -> int:
    from pytest_mcpbench.runtime.merging import merge

    merged = merge(options.directories, options.out)
    report, homes = _gathered([options.out])
    _write(_shown(report, homes, options), options.report)
    for remark in _merge_remarks(merged, options.out):
        print(f"mcpbench: {remark}", file=sys.stderr)
    return int(options.fail_if_missing and bool(merged.missing_shards or merged.missing))


def _merge_remarks(merged: "Merged", out: Path) -> Iterator[str]:
    yield f"{merged.records} records are in {out}"
    if merged.duplicates:
        yield (
            f"{merged.duplicates} attempts were in more than one directory; of each the last finished one was taken, "
            "an error only where there was nothing else"
        )
    if merged.missing_shards:
        yield f"shards that are not among the directories: {', '.join(merged.missing_shards)}"
    for (suite, model), tasks in merged.missing.items():
        yield f"suite {suite}, model {model}: without a record ({len(tasks)}): {_some(tasks)}"


def _add_compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("before", type=Path, metavar="DIR", help=DIRECTORY)
    parser.add_argument("after", type=Path, metavar="DIR", help="another one, on the same tasks")
    parser.add_argument("--format", choices=("terminal", "markdown", "json"), default="terminal")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write there instead of to standard output")
    parser.add_argument("--fail-if-worse", action="store_true", help="exit code 1 where passes are significantly fewer")


def _compare(options: argparse.Namespace) -> int:
    from pytest_mcpbench.core.errors import UsageError
    from pytest_mcpbench.reporting import changes, conditions, json, standings
    from pytest_mcpbench.runtime.records import read_report

    before, after = read_report(options.before), read_report(options.after)
    pairs = standings.between_runs(before, after)
    if not pairs:
        raise UsageError(
            "the two runs have no suite with a task and a model in common; where the models differ, each run "
            "must have exactly one."
        )
    if options.format == "json":
        _write(json.comparison(pairs), options.out)
    else:
        draw = {"terminal": changes.terminal, "markdown": changes.markdown}[options.format]
        _write(draw(pairs, list(conditions.differing(before.facts, after.facts))), options.out)
    return int(options.fail_if_worse and any(map(standings.is_regression, pairs)))


def _add_rescore(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", type=Path, metavar="DIR", help=DIRECTORY)
    parser.add_argument("--suite", required=True, metavar="NAME|PATH", help="the suite, as it is now")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the new records go (default: DIR-rescored)")
    parser.add_argument("--judge", metavar="NAME", help="ask what no stored verdict answers: keyfacts, or a model")


def _rescore(options: argparse.Namespace) -> int:
    from pytest_mcpbench.core.errors import UsageError
    from pytest_mcpbench.core.report import Report
    from pytest_mcpbench.reporting import terminal
    from pytest_mcpbench.runtime import records, rescoring
    from pytest_mcpbench.runtime.suites import discovery

    out: Path = options.out or options.directory.with_name(f"{options.directory.resolve().name}-rescored")
    if any(out.glob("records-*.jsonl")):
        raise UsageError(f"{out} holds records already; name another directory with --out.")
    records.require_records(options.directory)
    facts = records.read_facts(options.directory)
    suite = discovery.read_suite(discovery.find_suite(options.suite, Path.cwd()))
    changes = rescoring.Changes(rescoring.Rescoring.of(suite, facts))
    kept: Iterable[RunRecord] = (record for _, record in records.read_records(options.directory))
    if options.judge:
        kept = _asked(rescoring.with_verdicts, kept, changes.rescoring, name=options.judge)
    entries = _saved(map(changes.rescored, kept), out, facts)
    after = Report(entries=entries, facts=facts, directory=str(out))
    print("\n".join([*terminal.lines(after), *_rescored_remarks(changes), f"records: {out}"]))
    return 0


def _saved(made: "Iterable[RunRecord]", out: Path, facts: Mapping[str, Any]) -> "tuple[Entry, ...]":
    """Write the records as they come, however many there are; the entry of each attempt's last one."""
    from pytest_mcpbench.core.report import Entry
    from pytest_mcpbench.runtime.records import RecordWriter, write_facts

    write_facts(out, dict(facts))
    entries: dict[AttemptKey, Entry] = {}
    with closing(RecordWriter(out, worker="main")) as writer:
        for record in made:
            entry = Entry.of(record, writer.append(record))
            entries[entry.attempt] = entry
    return tuple(entries.values())


def _rescored_remarks(changes: "Changes") -> Iterator[str]:
    moved = [f"{number} {before} -> {now}" for (before, now), number in changes.moved.items()]
    yield ""
    yield "outcomes changed: " + (", ".join(moved) or "none")
    if changes.gone:
        yield f"left as they were, for they are not in the suite: {_some(changes.gone)}"
    if changes.altered:
        yield f"scored against another version of the task than was run: {_some(changes.altered)}"


def _add_agreement(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "labels", type=Path, metavar="LABELS.jsonl", help='lines of {"claim": …, "answer": …, "label": …}'
    )
    parser.add_argument("--judge", default="keyfacts", metavar="NAME", help="keyfacts (default), or a model")
    parser.add_argument("-v", "--verbose", action="count", default=0, help="show every disagreement")


def _agreement(options: argparse.Namespace) -> int:
    from pytest_mcpbench.reporting import agreement
    from pytest_mcpbench.runtime.judges.agreement import judge_agreement

    made: JudgeAgreement = _asked(judge_agreement, list(_labelled(options.labels)), name=options.judge)
    if made.agreement is None:
        return _complain(f"judge {made.judge!r} decided nothing: {made.undecided[0][1].error}")
    print("\n".join(agreement.lines(made.judge, made.agreement, undecided=len(made.undecided))))
    for row, verdict in made.disagreements if options.verbose else ():
        print("\n".join(agreement.disagreement(row.question, row.label, verdict)))
    return 0


def _labelled(path: Path) -> Iterator[Any]:
    import json

    from pytest_mcpbench.core.errors import Place, TaskError
    from pytest_mcpbench.runtime.judges.agreement import labelled_of

    rows = 0
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), 1):
        if line.strip():
            rows += 1
            place = Place(str(path), line=number)
            try:
                row = json.loads(line)
            except ValueError as error:
                raise TaskError(f"not JSON: {error}.", place) from None
            yield labelled_of(row, place)
    if not rows:
        raise TaskError("there is no labelled question in it.", Place(str(path)))


def _add_fetch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", choices=("atlas", "toolbench", "finmcp"))
    parser.add_argument("--to", type=Path, metavar="DIR", help="where to (default: a cache directory)")


def _fetch(options: argparse.Namespace) -> int:
    from pytest_mcpbench.runtime.fetch import fetch

    print(fetch(options.name, options.to))
    return 0


def _add_serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="the server: mail, calendar, …, or a Python file that has a server")
    parser.add_argument("--transport", choices=("stdio", "http"), default="stdio")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--seed", type=Path, metavar="FILE", help="JSON of the tree that the world begins with")
    parser.add_argument("--now", metavar="TIME", help="the world's frozen clock, ISO 8601")


def _serve(options: argparse.Namespace) -> int:
    from pytest_mcpbench.simulated.serve import serve

    _find_modules_here()
    serve(
        options.name,
        transport=options.transport,
        host=options.host,
        port=options.port,
        seed=options.seed,
        now=options.now,
    )
    return 0


def _add_new_server(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="what the server is called")
    parser.add_argument("--directory", type=Path, metavar="DIR", help="where to (default: a new one of that name)")


def _new_server(options: argparse.Namespace) -> int:
    from pytest_mcpbench.simulated.starter import write

    written = write(options.name, options.directory)
    print("\n".join(map(str, written)))
    print(f"now: pytest {written[0].parent}")
    return 0


def _add_fidelity(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("traces", type=Path, metavar="TRACES.jsonl", help="recorded calls of the real server")
    parser.add_argument("--server", required=True, metavar="NAME", help="the simulation: " + _SERVER_HELP)
    parser.add_argument("--judge", metavar="NAME", help="a model that reads whether calls succeeded (default: a rule)")
    parser.add_argument("--mask", action="append", default=[], metavar="REGEX", help="what no response is compared by")
    parser.add_argument("--format", choices=("terminal", "markdown", "json"), default="terminal")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write there instead of to standard output")
    parser.add_argument("-v", "--verbose", action="count", default=0, help="show every answer in other words")


def _fidelity(options: argparse.Namespace) -> int:
    import anyio

    from pytest_mcpbench.core.fidelity.comparison import fidelity
    from pytest_mcpbench.loaders.traces import read_traces
    from pytest_mcpbench.reporting import fidelity as shown
    from pytest_mcpbench.runtime.fidelity import judged, replayed

    _check_patterns(options.mask)
    traces = read_traces(options.traces.read_text(encoding="utf-8"), str(options.traces))
    pairs = anyio.run(replayed, traces, _named_server(options.server))
    if options.judge:
        pairs = _asked(judged, pairs, name=options.judge)
    made = fidelity(options.server, pairs, traces=len(traces), masks=options.mask)
    draw = {
        "terminal": lambda: shown.terminal(made, verbosity=options.verbose),
        "markdown": lambda: shown.markdown(made),
        "json": lambda: shown.text(made),
    }
    _write(draw[options.format](), options.out)
    return 0


def _check_patterns(patterns: Sequence[str]) -> None:
    import re

    from pytest_mcpbench.core.errors import UsageError

    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            raise UsageError(f"--mask {pattern!r} is no regular expression: {error}.") from None


def _named_server(said: str) -> "ServerRef":
    """A simulated server of the catalogue by its name, or any server as a task file names one."""
    from pytest_mcpbench.core.errors import UsageError
    from pytest_mcpbench.core.server import ServerRef
    from pytest_mcpbench.loaders.complaint import FieldError
    from pytest_mcpbench.loaders.mcp_json import server_from_line
    from pytest_mcpbench.simulated.catalogue import SERVERS

    if said in SERVERS:
        return ServerRef(name=said, transport="in_process", factory=SERVERS[said])
    if said.endswith(".py") and " " not in said:
        file = Path(said).resolve()
        sys.path.insert(0, str(file.parent))
        return ServerRef(name=file.stem, transport="in_process", factory=f"{file.stem}:server", state="per_task")
    if not any(mark in said for mark in ":/ "):
        from pytest_mcpbench.simulated.serve import unknown

        raise UsageError(unknown(said))
    _find_modules_here()
    try:
        return ServerRef.model_validate({**server_from_line("server", said), "state": "per_task"})
    except FieldError as wrong:
        raise UsageError(wrong.problem) from None


def _find_modules_here() -> None:
    """Let somebody's own servers be imported: an installed command does not look into the working directory."""
    sys.path.insert(0, str(Path.cwd()))


def _add_record_traces(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source", type=Path, metavar="CALLS.jsonl|DIR", help="traces that still lack the answers, or " + DIRECTORY
    )
    parser.add_argument(
        "--server", required=True, metavar="NAME", help="the real server, as in --mcp-json, or: " + _SERVER_HELP
    )
    parser.add_argument("--mcp-json", type=Path, metavar="FILE", help="file with the server's command and environment")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write there instead of to standard output")


def _record_traces(options: argparse.Namespace) -> int:
    from pytest_mcpbench.core.errors import UsageError

    traces = _taken(options) if options.source.is_dir() else _made_on_the_server(options)
    if not traces:
        raise UsageError(f"no attempt in {options.source} called a server {options.server!r}.")
    _write((trace.model_dump_json(exclude_defaults=True) + "\n" for trace in traces), options.out)
    return 0


def _taken(options: argparse.Namespace) -> "list[Trace]":
    from pytest_mcpbench.runtime.fidelity import traces_of
    from pytest_mcpbench.runtime.records import read_records

    return traces_of([record for _, record in read_records(options.source)], options.server)


def _made_on_the_server(options: argparse.Namespace) -> "list[Trace]":
    import anyio

    from pytest_mcpbench.loaders.traces import read_traces
    from pytest_mcpbench.runtime.fidelity import recorded

    server = _configured(options.mcp_json, options.server) if options.mcp_json else _named_server(options.server)
    text = options.source.read_text(encoding="utf-8")
    return anyio.run(recorded, read_traces(text, str(options.source), recorded=False), server)


def _configured(file: Path, name: str) -> "ServerRef":
    import os

    from pytest_mcpbench.core.errors import UsageError
    from pytest_mcpbench.loaders.mcp_json import read_mcp_json

    servers = read_mcp_json(file.read_text(encoding="utf-8-sig"), str(file), os.environ).servers
    if name not in servers:
        raise UsageError(f"{file} has no server {name!r}; there are: {', '.join(servers) or 'none'}.")
    return servers[name].model_copy(update={"state": "per_task"})


def _add_generate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", choices=_GENERATED)
    parser.add_argument(
        "--out",
        "--to",
        type=Path,
        metavar="DIR",
        help="directory for the task files (default: in a checkout of the project the suite itself, otherwise "
        "suites/NAME in the working directory)",
    )
    parser.add_argument("--seed", type=int, help="seed of the random part (default: the seed of the shipped files)")


def _generate(options: argparse.Namespace) -> int:
    from pytest_mcpbench.generation.command import generate

    for path in generate(options.suite, options.out, options.seed):
        print(path)
    return 0


def _asked(ask: Callable[..., Any], *arguments: Any, name: str) -> Any:
    """What an asynchronous function gives, called with the arguments and the judge of that name."""
    import anyio

    from pytest_mcpbench.runtime.models.factory import Models

    async def run() -> Any:
        async with Models(_aliases()) as models:
            return await ask(*arguments, _judge(name, models))

    return anyio.run(run)


def _judge(name: str, models: "Models") -> "Judge":
    from pytest_mcpbench.core.errors import UsageError
    from pytest_mcpbench.runtime.judges.factory import make_judge

    judge = make_judge(name, models)
    if judge is None:
        raise UsageError(f"--judge {name}: name a judge that decides, keyfacts or a model.")
    return judge


def _aliases() -> Mapping[str, Any]:
    """``[tool.mcpbench.models]`` of the pyproject.toml in the working directory."""
    import tomllib

    from pytest_mcpbench.core.errors import UsageError

    path = Path("pyproject.toml")
    if not path.is_file():
        return {}
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: not valid TOML: {error}") from None
    aliases: Mapping[str, Any] = table.get("tool", {}).get("mcpbench", {}).get("models", {})
    return aliases


def _write(pieces: Iterable[str], out: Path | None) -> None:
    """To a file, or to standard output whatever its encoding."""
    if out is None:
        encoding = sys.stdout.encoding or "utf-8"
        for piece in [pieces] if isinstance(pieces, str) else pieces:
            sys.stdout.write(piece.encode(encoding, "replace").decode(encoding))
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("w", encoding="utf-8") as file:
        file.writelines(pieces)


def _complain(problem: str) -> int:
    print(f"mcpbench: {problem}", file=sys.stderr)
    return 2


def _show_warning(message: Warning | str, *_others: Any) -> None:
    print(f"mcpbench: warning: {message}", file=sys.stderr)


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
    return ", ".join(listed[:_LISTED]) + more


_Add = Callable[[argparse.ArgumentParser], None]
_Run = Callable[[argparse.Namespace], int]
_COMMANDS: Mapping[str, tuple[_Add, _Run, str]] = {
    "report": (_add_report, _report, "show finished runs again, alone or together"),
    "merge": (_add_merge, _merge, "join the records of shards, machines and models into one run"),
    "compare": (_add_compare, _compare, "compare two runs on the tasks that both have"),
    "rescore": (_add_rescore, _rescore, "score a finished run again with the present metrics and references"),
    "judge-agreement": (_add_agreement, _agreement, "measure a judge against labels of people"),
    "fetch": (_add_fetch, _fetch, "download a public benchmark's files"),
    "serve": (_add_serve, _serve, "serve a simulated server over stdio or HTTP"),
    "new-server": (
        _add_new_server,
        _new_server,
        "write a simulated server of your own that works, with a test and a task",
    ),
    "fidelity": (_add_fidelity, _fidelity, "compare a simulation with recorded calls of the real server"),
    "record-traces": (_add_record_traces, _record_traces, "record calls of a real server, for fidelity"),
    "generate": (_add_generate, _generate, "generate the task files of a shipped suite"),
}
