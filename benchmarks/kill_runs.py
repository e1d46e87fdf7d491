"""Proof that a killed run loses nothing: runs are killed with SIGKILL at random moments and continued.

    python benchmarks/kill_runs.py --kills 200            # about an hour on two cores
    python benchmarks/kill_runs.py --kills 5 --kinds run worker

A provider on loopback notes when it has sent the last reply of each attempt. An attempt is finished if that was at
least half a second before the kill. Counted are finished attempts that are not in the records (lost), that were asked
again (repeated), and that the report contains twice (doubled); and what the next run leaves of the killed one. A run
that had no attempt left to make when its process was killed counts as late, and another one is killed in its place.
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
_MARK = "MCPBENCH_KILL_RUNS"
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


KINDS = {
    "run": Kind(()),
    "run-workers": Kind(("-n", "2", "--mcpbench-engine=local")),
    "run-shared": Kind(("-n", "3", "--mcpbench-engine=shared")),
    "worker": Kind(("-n", "2", "--mcpbench-engine=local"), "exec(eval(sys.stdin"),
    "worker-shared": Kind(("-n", "3", "--mcpbench-engine=shared"), "exec(eval(sys.stdin"),
    "provider": Kind(("-n", "2", "--mcpbench-engine=local"), "attempt.provider"),
    "provider-shared": Kind(("-n", "3", "--mcpbench-engine=shared"), "attempt.provider"),
    "server": Kind((), "server_of_tasks.py", has_servers=True),
    "server-workers": Kind(("-n", "2", "--mcpbench-engine=local"), "server_of_tasks.py", has_servers=True),
    "run-servers": Kind((), has_servers=True),
    "run-servers-workers": Kind(("-n", "2", "--mcpbench-engine=local"), has_servers=True),
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

    def asked_again_after(self, moment: float) -> set[str]:
        """Return the tasks that had ended before a moment and were asked again after it."""
        settled = self.finished_before(moment)
        with self.lock:
            return {task for task in settled if self.replies[task][-1] > moment}

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
    """Counts of one kill."""

    late: int = 0
    """1 if no attempt was left to make when the process was killed."""
    finished: int = 0
    lost: int = 0
    repeated: int = 0
    doubled: int = 0
    wrong: int = 0
    """1 if the continued run does not have each attempt once."""
    processes: int = 0
    """Processes that the kill left, ten seconds later."""
    left_processes: int = 0
    """Processes, directories and sockets that are left after the next run."""
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
        lines = ["servers:", f'  notes: {{command: "{command}", fork: true, environment: {mark}}}', "tasks:"]
        tool = ", tool: look_up"
    lines += [f"  - {{id: t{n:03}, ask: Say t{n:03}, answer: value of t{n:03}{tool}}}" for n in range(tasks)]
    (directory / "kill.mcpbench.yaml").write_text("\n".join(lines) + "\n")


def kill_once(name: str, tasks: int) -> Outcome:
    """Kill one process of a run at a random moment, continue the run, and count."""
    kind, provider, identity = KINDS[name], Provider(), os.urandom(8).hex()
    if kind.has_servers:
        tasks //= 4  # each attempt starts a server, which takes longer than the replies
    with tempfile.TemporaryDirectory(prefix="kill-") as place, serve(provider) as url:
        directory = Path(place)
        write_suite(directory, kind, tasks)
        (directory / "tmp").mkdir()
        moment, replies = _run_and_kill(kind, directory, provider, url, identity)
        processes = left_processes(identity)
        # Not earlier: a worker stores the attempts that have ended until it notices that its controller was killed.
        outcome = _count(directory / "out", provider, moment)
        outcome.late = int(replies >= tasks)
        outcome.processes = processes
        _continue(kind, directory, url, identity)
        outcome.repeated = len(provider.asked_again_after(moment))
        outcome.wrong = int(attempts_of(directory / "out") != {f"t{n:03}": 1 for n in range(tasks)})
        outcome.left_processes = left_processes(identity)
        outcome.left_directories = len(list((directory / "tmp").glob("[!p]*")))
        outcome.left_sockets = sum(each.is_socket() for each in directory.rglob("*"))
        return outcome


def _run_and_kill(kind: Kind, directory: Path, provider: Provider, url: str, identity: str) -> tuple[float, int]:
    """Run and kill; return the moment of the kill, and the number of tasks that had their last reply."""
    with pytest_run(kind, directory, url, identity) as run:
        while not provider.finished_before(time.monotonic() + SETTLED_SECONDS) and run.poll() is None:
            time.sleep(0.01)
        time.sleep(random.uniform(0.3, 2.5))
        while run.poll() is None:
            victims = _processes(identity, kind.words) if kind.words else [run.pid]
            if victims:
                moment, replies = time.monotonic(), len(provider.replies)
                _kill(random.choice(victims))
                break
            time.sleep(0.01)
        else:
            moment, replies = time.monotonic(), len(provider.replies)
        if not replies:
            raise SystemExit(f"the run made no attempt:\n{(directory / 'log0').read_text()}")
        provider.is_fast = True
        run.wait(timeout=120)
    return moment, replies


def _continue(kind: Kind, directory: Path, url: str, identity: str) -> None:
    arguments = tuple(argument for argument in kind.arguments if argument != _RAY)
    with pytest_run(Kind(arguments), directory, url, identity, "--mcpbench-resume=out") as run:
        run.wait(timeout=120)


def _count(out: Path, provider: Provider, moment: float) -> Outcome:
    attempts, finished = attempts_of(out), provider.finished_before(moment)
    lost = finished - attempts.keys()
    for task in sorted(lost):
        print(f"{task} was over {moment - provider.replies[task][0]:.2f} s before the kill", flush=True)
    return Outcome(
        finished=len(finished),
        lost=len(lost),
        doubled=sum(count > 1 for count in attempts.values()),
    )


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
    log = (directory / f"log{len(more)}").open("wb")
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
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    random.seed(options.seed)
    totals: dict[str, Counter[str]] = {}
    kills = itertools.cycle(options.kinds)
    while sum(total["kills"] for total in totals.values()) < options.kills:
        name = next(kills)
        outcome = kill_once(name, options.tasks)
        totals.setdefault(name, Counter()).update({"kills": 1 - outcome.late, **vars(outcome)})
        print(name, vars(outcome), flush=True)
    totals["all"] = sum(totals.values(), Counter())
    for name, total in totals.items():
        print(f"{name}: {', '.join(f'{total[what]} {what}' for what in ('kills', *vars(Outcome())))}")


if __name__ == "__main__":
    main()
