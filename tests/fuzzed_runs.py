"""Whole runs with mutated inputs: nothing that is read may raise an exception but ours, or keep a run from ending.

    python -m tests.fuzzed_runs --inputs 5000 --seed 1
    python -m tests.fuzzed_runs --kinds tasks --seeds 17    # one input again

An input is a task file, a suite.toml, what a server or a provider replies, records of a run, values of options, or a
lock file: the one of the corpus, mutated by the random numbers of its seed. Those that a run can have side by side run
together. A run whose output has a traceback, an attempt that ended as an error of the class `internal`, an exit code
that pytest does not have, and a run of more than ten minutes are faults, and are printed with the seed.
"""

import argparse
import contextlib
import io
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from fixtures.chat_server import Answer, chat_server, says
from pytest_mcpbench.cli.command_line import main as run_command
from pytest_mcpbench.loaders.yaml_parsing import documents, plain
from pytest_mcpbench.models import rate_limited_model
from pytest_mcpbench.options.settings import ALL_OPTIONS

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
LONGEST_SECONDS = 600
_SIGNS = ("Traceback (most recent call last)", "INTERNALERROR", "Exception ignored in", "error_kind': 'internal'")
_EXIT_CODES = {0, 1, 2, 4, 5, 20}
_NOTES = "fixtures.notes_server:server"
_ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**63, 10**30, 0.5, -0.0, float("inf"), float("nan"), 1e-320),
    *("", " ", "a", "\n", "\0", "\x1b[31m", "\ud800", "é", "ß" * 40, "a" * 5000, "../../x", "${HOME}", "${", "{", "{}"),
    *("{sandbox}", "{{ results[1].id }}", "<1_result>", "(", "[a-", "(a+)+$", "t[0]", "a::b", "*", "1", "NaN", "null"),
    *("2026-02-30", "2026-03-02T10:00:00Z", "all", "none", "http://127.0.0.1:1/v1", "file:///x", "x:y", "git:HEAD"),
    *([], {}, [[]], [None], {"": None}, {"a": {"a": []}}, ["a", "a"], [1, "1"], {"exact": {}}, {"regex": "("}),
)
"""Values in place of any other."""


_VALUES = ("0", "1", "2", "0.5", "1/2", "2/kind", "oracle", "notes")
"""Values that some options take."""


# Mutation.


def mutate_value(value: Any, chance: random.Random) -> Any:
    """Return a copy of a JSON value of which one part is removed, repeated, moved or replaced by an odd one."""
    copy = json.loads(json.dumps(value))
    places = [*_places(copy)]
    if not places:
        return chance.choice(_ODD)
    container, key = chance.choice(places)
    match chance.randrange(6):
        case 0:
            del container[key]
        case 1 if isinstance(container, dict):
            container[chance.choice(["", "x", "id", str(key) + "s", "tool"])] = container.pop(key)
        case 2:
            other, place = chance.choice(places)
            container[key] = json.loads(json.dumps(other[place]))
        case 3:
            container[key] = [container[key]] if chance.random() < 0.5 else {"a": container[key]}
        case _:
            container[key] = chance.choice(_ODD)
    return copy


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each container with each of its keys."""
    keys = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in tuple(keys):
        yield value, key
        yield from _places(each)


def mutate_text(text: bytes, chance: random.Random) -> bytes:
    """Return a text of which one stretch is removed, repeated or replaced."""
    begin = chance.randrange(len(text) + 1)
    end = min(len(text), begin + chance.choice((0, 1, 2, 8, 64, 1000)))
    odd = chance.choice(_ODD)
    new = chance.choice(
        (b"", text[begin:end] * 2, chance.randbytes(2), json.dumps(odd).encode(), str(odd).encode("utf-8", "replace"))
    )
    return text[:begin] + new + text[end:]


def mutated(value: Any, chance: random.Random, write: Callable[[Any], str] = json.dumps) -> bytes:
    """Return a written value with one to three mutations, of the value or of its text."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        value = mutate_value(value, chance)
    text = write(value).encode()
    return mutate_text(text, chance) if chance.random() < 0.25 else text


# Corpus.


def _blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (REFERENCE / page).read_text(encoding="utf-8"), re.DOTALL)


def _tasks() -> list[dict[str, Any]]:
    """Return the tasks of the reference, and some that pass."""
    found: list[dict[str, Any]] = [
        {"id": "read", "ask": 'Read "Shopping".', "tool": "read_note", "arguments": {"title": "Shopping"}},
        {
            "id": "add",
            "ask": 'Add "Idea".',
            "calls": [{"tool": "add_note", "arguments": {"title": "Idea"}}],
            "state": {"created": "notes", "where": {"title": "Idea"}},
            "verify": {"tool": "read_note", "arguments": {"title": "Idea"}, "equals": ""},
            "answer": {"contains": "Idea"},
            "tags": {"kind": "writing"},
        },
    ]
    for block in _blocks("task-format.md", "yaml"):
        content = plain(documents(block)[0])
        tasks = content.get("tasks", []) if isinstance(content, dict) else content
        found += [
            {**task, "server": "notes"} for task in tasks if isinstance(task, dict) and {"ask", "turns"} & task.keys()
        ]
    return found


TASKS = _tasks()


def _manifest() -> list[str]:
    """Return the lines of a suite.toml that has each key of the reference, with a server that starts."""
    whole = _blocks("suite-toml.md", "toml")[0]
    lines = whole.partition("[[files]]")[0].splitlines()
    absent = ("skills", "context_pool", "mcp_json", "presentation", "recorded", "prompt", "route", "context ", "judge")
    lines = [line.partition("  #")[0].rstrip() for line in lines if not line.startswith(absent)]
    return [
        *lines,
        "[[files]]",
        'path = "tasks.json"',
        "[servers]",
        f'notes = "{_NOTES}"',
        "[floors]",
        "tool_success = 1.0",
        "[prompts]",
        'react = "Think."',
        "[limits]",
        "rounds = 5",
        "seconds = 20",
    ]


_MANIFEST = _manifest()


# Servers on loopback.


@contextmanager
def mcp_servers() -> Iterator[str]:
    """Yield the URL of a server below which each path ``/SEED/mcp`` is an MCP server with mutated replies."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send(405, b"")

        do_DELETE = do_GET  # noqa: N815 (the name in http.server)

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if "id" not in request:
                self._send(202, b"")
                return
            method = request["method"]
            chance = random.Random(self.path)
            response = {"jsonrpc": "2.0", "id": request["id"], "result": _result(method, request.get("params") or {})}
            # Only one of the replies: a server whose first reply is refused is not asked for more.
            is_mutated = method == chance.choice(("initialize", "tools/list", "tools/list", "tools/call", "tools/call"))
            self._send(200, mutated(response, chance) if is_mutated else json.dumps(response).encode())

        def _send(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:
            """Print nothing of a client that has left."""

    server = Server(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def _result(method: str, parameters: dict[str, Any]) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {"title": {"type": "string", "enum": ["Shopping"]}},
        "required": ["title"],
        "$defs": {"a": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/a"}]}},
    }
    tool = {"name": "read_note", "description": "Show a note.", "inputSchema": schema, "outputSchema": schema}
    content = [
        {"type": "text", "text": "milk"},
        {"type": "image", "data": "aGk=", "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "file:///a", "text": "b"}},
    ]
    results: dict[str, dict[str, Any]] = {
        "initialize": {
            "protocolVersion": parameters.get("protocolVersion", "2025-06-18"),
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "fuzzed", "version": "1", "title": "Fuzzed"},
            "instructions": "Read.",
        },
        "tools/list": {"tools": [tool, {**tool, "name": "add_note", "annotations": {"readOnlyHint": False}}]},
        "tools/call": {"content": content, "structuredContent": {"title": "Shopping"}, "isError": False},
    }
    return results.get(method, {})


def _reply(request: dict[str, Any]) -> Answer:
    """Return the mutated completion of the model whose name ends with the seed."""
    chance = random.Random(request["model"])
    is_first = request["messages"][-1]["role"] != "tool"
    answer = says("Well.", ("read_note", {"title": "Shopping"})) if is_first else says("<answer>milk, eggs</answer>")
    is_mutated = is_first == (chance.random() < 0.5)
    return Answer(answer.status, mutated(json.loads(answer.body), chance), answer.headers) if is_mutated else answer


# Runs.


@dataclass
class Fuzzer:
    """Runs of mutated inputs in one process."""

    place: Path
    models: str
    servers: str
    runs: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    finished_run: Path = Path()
    lock: dict[str, Any] = field(default_factory=dict)

    def prepare(self) -> None:
        """Make the run whose records are mutated, with its journal of evidence, and the lock."""
        directory = self._directory()
        _write_tasks(directory, TASKS[:2])

        class KeepJournal:
            @pytest.hookimpl(tryfirst=True)
            def pytest_sessionfinish(self) -> None:
                for path in (directory / "out").glob("evidence-*"):
                    shutil.copy(path, directory / f"kept-{path.name}")

        with contextlib.chdir(directory):
            self._pytest("--model=oracle", "--mcpbench-out=out", plugins=[KeepJournal()])
            for path in directory.glob("kept-*"):
                path.rename(directory / "out" / path.name.removeprefix("kept-"))
            with contextlib.redirect_stdout(io.StringIO()):
                run_command(["lock"])
        self.finished_run = directory
        self.lock = json.loads(next(directory.glob("*tools.lock.json")).read_text())

    def check(self, kind: str, seeds: Sequence[int]) -> list[str]:
        """Run inputs together; return a text for each that has a fault."""
        problem = self._problem(kind, seeds)
        if problem is None:
            return []
        if len(seeds) == 1:
            return [f"{kind} {seeds[0]}: {problem}"]
        alone = [text for seed in seeds for text in self.check(kind, [seed])]
        return alone or [f"{kind} {' '.join(map(str, seeds))}, together only: {problem}"]

    def _problem(self, kind: str, seeds: Sequence[int]) -> str | None:
        directory = self._directory()
        signal.alarm(LONGEST_SECONDS)
        try:
            with contextlib.chdir(directory):
                code, output = KINDS[kind][0](self, directory, seeds)
        except Exception:
            return traceback.format_exc()[-3000:]
        finally:
            signal.alarm(0)
            shutil.rmtree(directory, ignore_errors=True)
        self.codes[f"{kind} {code}"] += 1
        if code not in _EXIT_CODES:
            return f"exit code {code}\n{_short(output)[-3000:]}"
        found = next((sign for sign in _SIGNS if sign in output), None)
        return None if found is None else _short(output[max(0, output.index(found) - 1500) :])[:5000]

    def _directory(self) -> Path:
        self.runs += 1
        directory = self.place / str(self.runs)
        directory.mkdir()
        (directory / "pytest.ini").write_text("[pytest]\n")
        return directory

    def _pytest(self, *arguments: str, plugins: Sequence[object] = ()) -> tuple[int, str]:
        output = io.StringIO()
        kinds = _ErrorKinds()
        fixed = ("-q", "-p", "no:cacheprovider", "-p", "no:warnings", "--continue-on-collection-errors", "--tb=short")
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            code = pytest.main([*fixed, *arguments], plugins=[kinds, *plugins])
        return int(code), output.getvalue() + "".join(f"error_kind': '{kind}'\n" for kind in kinds.found)

    def _command(self, *arguments: str) -> tuple[int, str]:
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                code = run_command(arguments)
            except SystemExit as error:
                code = error.code if isinstance(error.code, int) else 1
        return code, output.getvalue()

    # Kinds of inputs.

    def tasks(self, directory: Path, seeds: Sequence[int]) -> tuple[int, str]:
        for seed in seeds:
            chance = random.Random(f"tasks {seed}")
            tasks = chance.sample(TASKS, 2)
            content = {"servers": {"notes": _NOTES}, "floors": {"tool_success": 1}, "tasks": tasks}
            if chance.random() < 0.5:
                content["tasks"] = [mutate_value(task, chance) for task in tasks]
            text = mutated(content, chance) if chance.random() < 0.5 else json.dumps(content).encode()
            (directory / f"s{seed}.mcpbench.yaml").write_bytes(text)
        return self._pytest("--model=oracle", "--model=lexical", "--mcpbench-seconds=20")

    def manifests(self, directory: Path, seeds: Sequence[int]) -> tuple[int, str]:
        files = []
        for seed in seeds:
            chance = random.Random(f"manifests {seed}")
            suite = directory / f"s{seed}"
            suite.mkdir()
            (suite / "tasks.json").write_text(json.dumps(TASKS[:2]))
            (suite / "suite.toml").write_bytes(_mutated_toml(chance))
            files.append(str(suite / "suite.toml"))
        return self._pytest(*files, "--model=oracle", "--mcpbench-seconds=20")

    def server_replies(self, directory: Path, seeds: Sequence[int]) -> tuple[int, str]:
        servers = {
            f"s{seed}": {"url": f"{self.servers}/{seed}/mcp", "state": "per_task" if seed % 5 else "shared"}
            for seed in seeds
        }
        call = {"tool": "read_note", "arguments": {"title": "Shopping"}}
        tasks = [{"id": name, "ask": "Read.", "servers": [name], **call} for name in servers]
        (directory / "s.mcpbench.yaml").write_text(json.dumps({"servers": servers, "tasks": tasks}))
        return self._pytest("--model=oracle", "--model=lexical", "--mcpbench-seconds=20")

    def provider_replies(self, directory: Path, seeds: Sequence[int]) -> tuple[int, str]:
        _write_tasks(directory, TASKS[:1])
        models = [f"--model={self.models}#m{seed}" for seed in seeds]
        return self._pytest(*models, "--mcpbench-seconds=20")

    def options(self, directory: Path, seeds: Sequence[int]) -> tuple[int, str]:
        _write_tasks(directory, TASKS[:2])
        chance = random.Random(f"options {seeds[0]}")
        arguments = ["--model=oracle"]
        for option in chance.sample(ALL_OPTIONS, chance.choice((1, 2, 3))):
            flag = f"--mcpbench-{option.name}"
            known = [*re.split(r"[|,]", option.metavar or "1"), *_VALUES]
            value = chance.choice(known) if chance.random() < 0.5 else str(chance.choice(_ODD))
            is_flag = option.type == "bool"
            arguments.append(
                flag if is_flag else f"{flag}={value.replace('ray', 'r')}".encode("utf-8", "replace").decode()
            )
        return self._pytest(*arguments)

    def records(self, directory: Path, seeds: Sequence[int]) -> tuple[int, str]:
        shutil.copytree(self.finished_run, directory, dirs_exist_ok=True)
        chance = random.Random(f"records {seeds[0]}")
        path = chance.choice(sorted(path for path in (directory / "out").iterdir() if "json" in path.suffix))
        if path.name.startswith("evidence"):
            next((directory / "out").glob("records-*")).unlink()
        lines = path.read_bytes().splitlines() if path.suffix == ".jsonl" else [path.read_bytes()]
        place = chance.randrange(len(lines))
        lines[place] = mutated(json.loads(lines[place]), chance)
        path.write_bytes(b"\n".join(lines) + b"\n")
        if chance.random() < 0.2:
            return self._pytest("--model=oracle", "--mcpbench-resume=out")
        form = chance.choice(("terminal", "json", "markdown", "html", "csv"))
        commands = (
            ("report", "out", "--format", form),
            ("rescore", "out", "--out", "again"),
            ("show", "out", "read"),
            ("stats", "out"),
            ("merge", "out", "out", "--out", "again"),
            ("compare", "out", "out"),
        )
        return self._command(*chance.choice(commands))

    def locks(self, directory: Path, seeds: Sequence[int]) -> tuple[int, str]:
        for seed in seeds:
            chance = random.Random(f"locks {seed}")
            package = directory / f"p{seed}"
            package.mkdir()
            _write_tasks(package, TASKS[:1])
            (package / "tools.lock.json").write_bytes(mutated(self.lock, chance))
        if random.Random(seeds[0]).random() < 0.5 and len(seeds) == 1:
            return self._command("lock", "--check")
        return self._pytest("--model=oracle", *[f"p{seed}/tools.lock.json" for seed in seeds])


KINDS: dict[str, tuple[Callable[[Fuzzer, Path, Sequence[int]], tuple[int, str]], int]] = {
    "tasks": (Fuzzer.tasks, 10),
    "manifests": (Fuzzer.manifests, 10),
    "server-replies": (Fuzzer.server_replies, 10),
    "provider-replies": (Fuzzer.provider_replies, 10),
    "records": (Fuzzer.records, 1),
    "options": (Fuzzer.options, 1),
    "locks": (Fuzzer.locks, 5),
}
"""How inputs of each kind run, and how many run together."""


class _ErrorKinds:
    """Kinds of the errors with which attempts ended."""

    def __init__(self) -> None:
        self.found = set[str]()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        self.found.add((getattr(report, "mcpbench", None) or {}).get("error_kind") or "")


def _write_tasks(directory: Path, tasks: list[dict[str, Any]]) -> None:
    content = {"servers": {"notes": {"factory": _NOTES}}, "floors": {"tool_success": 1}, "tasks": tasks}
    (directory / "notes.mcpbench.yaml").write_text(json.dumps(content))


def _mutated_toml(chance: random.Random) -> bytes:
    lines = list(_MANIFEST)
    for _ in range(chance.choice((1, 1, 2, 3))):
        place = chance.randrange(len(lines))
        key, equals, _ = lines[place].partition(" = ")
        odd = json.dumps(chance.choice(_ODD)).replace("null", '""').replace("NaN", "nan").replace("Infinity", "inf")
        lines[place] = chance.choice((f"{key} = {odd}" if equals else "", "", lines[place] * 2, chance.choice(lines)))
    text = "\n".join(lines).encode("utf-8", "replace")
    return mutate_text(text, chance) if chance.random() < 0.25 else text


def _short(output: str) -> str:
    return re.sub("a{40,}", "aaa…", output)


def _time_is_over(*_: object) -> None:
    raise TimeoutError(f"the run did not end within {LONGEST_SECONDS} s")


@contextmanager
def a_fuzzer() -> Iterator[Fuzzer]:
    """Yield a fuzzer with its servers, in a directory that is removed."""
    # A provider that is asked again after its delays sends the same reply.
    rate_limited_model.wait_seconds = lambda *_: None
    signal.signal(signal.SIGALRM, _time_is_over)
    with ExitStack() as exits:
        place = Path(exits.enter_context(tempfile.TemporaryDirectory(prefix="fuzz-")))
        models = exits.enter_context(chat_server(_reply))
        servers = exits.enter_context(mcp_servers())
        fuzzer = Fuzzer(place, models.url, servers)
        fuzzer.prepare()
        yield fuzzer


def main() -> None:
    """Run the inputs, print the faults, and end with 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=int(os.environ.get("MCPBENCH_FUZZ_INPUTS", "30")))
    parser.add_argument("--seed", type=int, default=1, help="first seed")
    parser.add_argument("--seeds", type=int, nargs="+", help="exactly these, each alone")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    arguments = parser.parse_args()
    faults: list[str] = []
    with a_fuzzer() as fuzzer:
        for kind in arguments.kinds:
            share = arguments.inputs // len(arguments.kinds)
            seeds = arguments.seeds or range(arguments.seed, arguments.seed + share)
            together = 1 if arguments.seeds else KINDS[kind][1]
            for begin in range(0, len(seeds), together):
                for fault in fuzzer.check(kind, seeds[begin : begin + together]):
                    faults.append(fault)
                    print(fault, flush=True)
            print(f"{kind}: {len(seeds)} inputs", flush=True)
        print(f"{fuzzer.runs} runs, exit codes {dict(sorted(fuzzer.codes.items()))}; {len(faults)} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
