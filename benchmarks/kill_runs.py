"""Proof that a killed run loses nothing: processes of runs are killed with SIGKILL at random moments.

    python benchmarks/kill_runs.py --kills 200 --busy 4         # about an hour on two cores
    python benchmarks/kill_runs.py --kills 5 --kinds run worker

Workers, provider processes and servers are killed several times in one run; a run that is killed itself is resumed and
killed again. At the end each run is resumed without a kill.

A counter in each process of the run (`kill_counter/`) notes, with fsync, when the agent of an attempt has ended there
and when its evidence is stored. Counted are attempts that were stored and are not in the records (lost); those that
had ended and were not stored yet (unstored), with the longest time that one of them had been in memory; and the longest
time from the end of an agent to its stored evidence, of all attempts.

A provider on loopback notes when it has sent the last reply of each attempt. Counted are attempts that it was asked
for again after a kill at least half a second later (repeated), those that the report contains twice (doubled), and what
the next run leaves of the killed one. A process is killed only while attempts are left to make. `--busy N` lets N
processes compute all the time.
"""

import argparse
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

SETTLED_SECONDS = 0.5
"""Time that an attempt must have been over before the kill to count as finished."""
_PATIENCE_SECONDS = 1800.0
"""Time after which a run counts as hanging; on a busy machine eight workers start slowly."""
_MARK = "MCPBENCH_KILL_RUNS"
_COUNTER = Path(__file__).parent / "kill_counter"
_RAY = "--mcpbench-engine=ray"
_SERVER = '''
from mcp.server import MCPServer

server = MCPServer("notes")

@server.tool()
def look_up(key: str) -> str:
    """Look a key up."""
    return f"value of {key}"

if __name__ == "__main__":
    server.run()
'''


@dataclass(frozen=True)
class Kind:
    """Kind of process that is killed, and the run in which it is."""

    arguments: tuple[str, ...]
    words: str = ""
    """Part of the command line of the process; empty for pytest itself."""
    has_servers: bool = False


_WORKER, _PROVIDER, _SERVER_WORDS = "exec(eval(sys.stdin", "attempt.provider", "server_of_tasks.py"
_EIGHT, _LOCAL, _SHARED = ("-n", "8"), ("-n", "2", "--mcpbench-engine=local"), ("-n", "3", "--mcpbench-engine=shared")
KINDS = {
    "run": Kind(()),
    "run-workers": Kind(_LOCAL),
    "run-shared": Kind(_SHARED),
    "run-8": Kind(_EIGHT),
    "worker": Kind(_LOCAL, _WORKER),
    "worker-shared": Kind(_SHARED, _WORKER),
    "worker-8": Kind(_EIGHT, _WORKER),
    "provider": Kind(_LOCAL, _PROVIDER),
    "provider-shared": Kind(_SHARED, _PROVIDER),
    "provider-8": Kind(_EIGHT, _PROVIDER),
    "server": Kind((), _SERVER_WORDS, has_servers=True),
    "server-workers": Kind(_LOCAL, _SERVER_WORDS, has_servers=True),
    "server-8": Kind(_EIGHT, _SERVER_WORDS, has_servers=True),
    "run-servers": Kind((), has_servers=True),
    "run-servers-workers": Kind(_LOCAL, has_servers=True),
    "ray-actor": Kind((_RAY,), "ray::AttemptRunnerActor"),
    "ray-node": Kind((_RAY,), "raylet/raylet"),
    "run-ray": Kind((_RAY,)),
}


@dataclass
class Provider:
    """Provider that notes the time of the last reply of each task, and how often it was asked."""

    replies: dict[str, list[float]] = field(default_factory=dict)
    is_fast: bool = False
    """Answer at once, so that the run that is continued takes little time."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def finished_before(self, moment: float) -> set[str]:
        """Return the tasks that had ended half a second before a moment."""
        with self.lock:
            return {task for task, times in self.replies.items() if times[0] <= moment - SETTLED_SECONDS}

    def asked_again_after(self, moments: list[float]) -> set[str]:
        """Return the tasks that had ended before one of the moments and were asked again after it."""
        with self.lock:
            return {
                task
                for task, times in self.replies.items()
                for moment in moments
                if times[0] <= moment - SETTLED_SECONDS and times[-1] > moment
            }

    def note(self, task: str) -> None:
        """Note the last reply of an attempt."""
        with self.lock:
            self.replies.setdefault(task, []).append(time.monotonic())


@contextmanager
def serve(provider: Provider) -> Iterator[str]:
    """Yield the URL of the provider."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            task, reply, is_last = _reply(body)
            time.sleep(0 if provider.is_fast else random.uniform(0.1, 0.9))
            content = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
            self.wfile.flush()
            if is_last:
                provider.note(task)

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

        def handle(self) -> None:
            """Serve a connection until it is closed or broken, as those of killed processes are."""
            try:
                super().handle()
            except (ConnectionError, json.JSONDecodeError):
                self.close_connection = True

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 256

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()


def _reply(body: dict[str, Any]) -> tuple[str, dict[str, Any], bool]:
    """Return the task of a request, the completion, and whether it is the last of the attempt."""
    task = next(message["content"] for message in body["messages"] if message["role"] == "user").split()[-1]
    calls = bool(body.get("tools")) and body["messages"][-1]["role"] != "tool"
    function = {"name": "look_up", "arguments": json.dumps({"key": task})}
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": function}]}
    message = call if calls else {"role": "assistant", "content": f"<answer>value of {task}</answer>"}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    reply = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}
    return task, reply, not calls


@dataclass
class Outcome:
    """Counts of the kills in one directory."""

    kills: int = 0
    ended: int = 0
    stored: int = 0
    lost: int = 0
    unstored: int = 0
    repeated: int = 0
    doubled: int = 0
    wrong: int = 0
    """1 if the last run does not have each attempt once."""
    processes: int = 0
    """Processes that killed runs left, ten seconds later."""
    left_processes: int = 0
    """Processes, directories and sockets that are left after the last run."""
    left_directories: int = 0
    left_sockets: int = 0


def write_suite(directory: Path, kind: Kind, tasks: int) -> None:
    """Write the task file, and the server if the kind has one."""
    (directory / "pytest.ini").write_text("[pytest]\nfilterwarnings = default\n")
    lines = ["tasks:"]
    tool = ""
    if kind.has_servers:
        (directory / "server_of_tasks.py").write_text(_SERVER)
        command = f"{sys.executable} server_of_tasks.py"
        mark = f'{{{_MARK}: "${{{_MARK}}}"}}'
        patient = "timeouts: {start_seconds: 600, list_seconds: 600, call_seconds: 600}"  # on a busy machine
        lines = ["servers:", f'  notes: {{command: "{command}", fork: true, {patient}, environment: {mark}}}', "tasks:"]
        tool = ", tool: look_up"
    lines += [f"  - {{id: t{n:03}, ask: Say t{n:03}, answer: value of t{n:03}{tool}}}" for n in range(tasks)]
    (directory / "kill.mcpbench.yaml").write_text("\n".join(lines) + "\n")


@dataclass
class Memory:
    """Longest times in seconds for which an attempt that had ended was in memory only."""

    lost: float = 0.0
    """Of those that a kill lost, until the kill."""
    stored: float = 0.0
    """Of the others, until they were stored."""


def kill_repeatedly(name: str, tasks: int, in_flight: int, kills: int, memory: Memory) -> Outcome:
    """Kill processes of the runs in one directory at random moments, resume the last run, and count."""
    kind, provider, identity = KINDS[name], Provider(), os.urandom(8).hex()
    if kind.has_servers:
        tasks //= 4  # each attempt starts a server, which takes longer than the replies
    with tempfile.TemporaryDirectory(prefix="kill-") as place, serve(provider) as url:
        directory = Path(place)
        write_suite(directory, kind, tasks)
        (directory / "tmp").mkdir()
        (directory / "counter").mkdir()
        outcome, moments = Outcome(), list[float]()
        arguments = (url, identity, f"--mcpbench-concurrency={in_flight}")
        # At such numbers of ended attempts, so that kills are spread over them however fast they are.
        for goals in [[goal] for goal in _goals(tasks, kills)] if not kind.words else [_goals(tasks, kills)]:
            resume = ("--mcpbench-resume=out",) if moments else ()
            with pytest_run(kind, directory, *arguments, *resume) as run:
                for goal in goals:
                    moments += _kill_at(goal, tasks, kind, directory, run, identity)
                if kind.words:
                    provider.is_fast = True
                run.wait(timeout=_PATIENCE_SECONDS)
            # Not earlier: a worker stores the attempts that have ended until it notices that its controller was killed.
            outcome.processes += left_processes(identity)
        if not provider.replies:
            raise SystemExit(f"the run made no attempt:\n{(directory / 'log0').read_text()}")
        _count(kind, directory, moments, memory, outcome)
        provider.is_fast = True
        _resume(directory, *arguments)
        outcome.repeated = len(provider.asked_again_after(moments))
        attempts = attempts_of(directory / "out")
        outcome.wrong = int(attempts != {f"t{n:03}": 1 for n in range(tasks)})
        for task in [name for n in range(tasks) if attempts[name := f"t{n:03}"] != 1][:5]:
            print(f"after the last run, {task}: {_report_of(directory, task)}", flush=True)
        outcome.left_processes = left_processes(identity)
        outcome.left_directories = len(list((directory / "tmp").glob("[!p]*")))
        outcome.left_sockets = sum(each.is_socket() for each in directory.rglob("*"))
        return outcome


def _goals(tasks: int, kills: int) -> list[int]:
    """Return the numbers of ended attempts after which to kill; the last attempts are left alone."""
    return sorted(random.sample(range(1, tasks * 9 // 10), kills))


def _kill_at(  # noqa: PLR0913 (what a kill depends on)
    goal: int, tasks: int, kind: Kind, directory: Path, run: "subprocess.Popen[bytes]", identity: str
) -> list[float]:
    """Kill one process when so many attempts have ended; return the moment, if there is one."""
    while _ended(directory) < goal and run.poll() is None:
        time.sleep(0.02)
    time.sleep(random.uniform(0, 0.3))
    while run.poll() is None and _ended(directory) < tasks:
        victims = _processes(identity, kind.words) if kind.words else [run.pid]
        if victims:
            moment = time.monotonic()
            _kill(random.choice(victims))
            return [moment]
        time.sleep(0.02)
    return []


def _ended(directory: Path) -> int:
    """Return the number of tasks of which an attempt has ended."""
    lines = [line for file in (directory / "counter").iterdir() for line in file.read_text().splitlines()]
    return len({line.split()[1] for line in lines if line.startswith("ended") and line.count(" ") == 2})


def _resume(directory: Path, url: str, identity: str, *more: str) -> None:
    """Resume in one process, which starts soonest."""
    with pytest_run(Kind(()), directory, url, identity, *more, "--mcpbench-resume=out") as run:
        run.wait(timeout=_PATIENCE_SECONDS)


def _count(kind: Kind, directory: Path, moments: list[float], memory: Memory, outcome: Outcome) -> None:
    """Count what the records have of the attempts that the processes noted."""
    attempts = attempts_of(directory / "out")
    ended, stored = set[str](), set[str]()
    for file in sorted((directory / "counter").iterdir()):
        in_memory: dict[str, float] = {}
        events = [(event, task, float(at)) for event, task, at in map(str.split, file.read_text().splitlines())]
        for event, task, at in events:
            if event == "ended":
                in_memory[task] = at
                ended.add(task)
            else:
                stored.add(task)
                memory.stored = max(memory.stored, at - in_memory.pop(task, at))
        for since in in_memory.values():
            # A process of a run that was killed ends with it; its last attempts may end a moment later than the kill.
            begin = since if kind.words else events[0][2]
            killed = next((moment for moment in moments if moment > begin), None)
            if killed is not None:
                outcome.unstored += 1
                memory.lost = max(memory.lost, killed - since)
    for task in sorted(stored - attempts.keys()):
        print(f"{task} was stored and is not in the report: {_report_of(directory, task)}", flush=True)
    outcome.kills, outcome.ended, outcome.stored = len(moments), len(ended), len(stored)
    outcome.lost = len(stored - attempts.keys())
    outcome.doubled = sum(count > 1 for count in attempts.values())


def _report_of(directory: Path, task: str) -> str:
    """Return what the report of a run has of a task that it should have as passed."""
    from pytest_mcpbench.runs.records import read_report

    found = [
        f"{each.outcome}: {each.error or each.reason}"
        for each in read_report(directory / "out").entries
        if each.task_id == task
    ]
    return f"the report has {found}, the files {sorted(each.name for each in (directory / 'out').iterdir())}"


def attempts_of(out: Path) -> Counter[str]:
    """Return how often the report contains each task without an error."""
    from pytest_mcpbench.runs.records import has_records, read_report

    if not has_records(out):
        return Counter()
    return Counter(entry.task_id for entry in read_report(out).entries if entry.outcome == "passed")


@contextmanager
def pytest_run(kind: Kind, directory: Path, url: str, identity: str, *more: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Start a run that is killed at the end of the context if it still lives."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--model={url}#m", "--mcpbench-out=out"]
    command += ["--mcpbench-concurrency=16", *kind.arguments, *more]
    environment = {**os.environ, _MARK: identity, "TMPDIR": str(directory / "tmp"), "RAY_TMPDIR": "/tmp"}
    if (directory / "counter").is_dir():
        environment |= {"PYTHONPATH": str(_COUNTER), "MCPBENCH_KILL_COUNTER": str(directory / "counter")}
    log = (directory / f"log{len(list(directory.glob('log*')))}").open("wb")
    with subprocess.Popen(command, cwd=directory, env=environment, stdout=log, stderr=log) as run:
        try:
            yield run
        finally:
            run.kill()
    log.close()


def _processes(identity: str, words: str = "") -> list[int]:
    """Return the processes of a run, by the mark in their environment and by their command line."""
    wanted = f"{_MARK}={identity}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and wanted in _read(entry / "environ"):
            command = _read(entry / "cmdline").replace(b"\0", b" ").decode(errors="replace")
            if command and words in command:
                found.append(int(entry.name))
    return found


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def left_processes(identity: str) -> int:
    """Return how many processes of a run live on after ten seconds."""
    deadline = time.monotonic() + 10
    while (left := _processes(identity)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return len(left)


def _kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return


def main() -> None:
    """Kill as many runs of each kind as the command line asks for, and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=200, help="number of kills, divided among the kinds")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--tasks", type=int, default=200, help="tasks of each run")
    parser.add_argument("--in-flight", type=int, nargs="+", default=[16, 128], help="attempts in flight, in turn")
    parser.add_argument("--busy", type=int, default=0, help="processes that compute all the time")
    parser.add_argument("--kills-each", type=int, default=5, help="kills in one directory, before another is begun")
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    random.seed(options.seed)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.busy)]
    try:
        _kill_all(options)
    finally:
        for process in busy:
            process.kill()


def _kill_all(options: argparse.Namespace) -> None:
    totals: dict[str, Counter[str]] = {}
    memory = Memory()
    series = itertools.cycle([(name, number) for number in options.in_flight for name in options.kinds])
    while (left := options.kills - sum(total["kills"] for total in totals.values())) > 0:
        name, in_flight = next(series)
        outcome = kill_repeatedly(name, options.tasks, in_flight, min(left, options.kills_each), memory)
        totals.setdefault(name, Counter()).update(vars(outcome))
        print(name, in_flight, vars(outcome), flush=True)
    totals["all"] = sum(totals.values(), Counter())
    for name, total in totals.items():
        print(f"{name}: {', '.join(f'{total[what]} {what}' for what in vars(Outcome()))}")
    print(f"in memory only: {memory.lost:.3f} s at most of a lost attempt, {memory.stored:.3f} s of a stored one")


if __name__ == "__main__":
    main()
