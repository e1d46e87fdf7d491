"""Harnesses under comparison, and the command that runs a workload with each."""

import json
import os
import subprocess
import sys
import venv
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from workloads import Workload

HERE = Path(__file__).resolve().parent
SERVER = (sys.executable, str(HERE / "lookup.py"))
NOT_OURS = ("-p", "no:hypothesispytest", "-p", "no:allure_pytest")
"""Plugins of pytest that only the development of this project installs."""
FEW = 20
"""Number of tasks for a harness that starts one server per task."""

Command = Callable[[Workload, str | None, Path], list[str]]


@dataclass(frozen=True)
class Harness:
    """One harness."""

    name: str
    command: Command
    """Function that returns the command for a workload, the provider's base URL (if any) and a working directory."""
    shares_servers: bool = True
    processes: int = 1
    kinds: tuple[str, ...] = ()
    """Kinds of workload to run with this variant of a harness; empty means all."""

    def supports(self, workload: Workload) -> bool:
        """Return whether to run the workload with this harness."""
        return self.processes <= workload.concurrency and workload.kind in (self.kinds or (workload.kind,))

    def fit_workload(self, workload: Workload) -> Workload:
        """Return the workload, reduced to as many tasks as this harness can run in reasonable time."""
        if workload.kind == "shared" and not self.shares_servers:
            return replace(workload, tasks=min(FEW, workload.tasks))
        return workload


def plugin_command(*more: str, processes: int = 1, fork: bool = False) -> Command:
    """Return the pytest command with this plugin. The concurrency is split among its processes."""

    def command(workload: Workload, url: str | None, directory: Path) -> list[str]:
        _write_project(workload, directory, fork=fork)
        model = f"{url}#bench" if url else f"scripted:{directory / 'script.json'}"
        return [
            *(sys.executable, "-m", "pytest", "-q", *NOT_OURS, *more),
            f"--suite={directory / 'suite.toml'}",
            f"--model={model}",
            f"--mcpbench-concurrency={max(1, workload.concurrency // processes)}",
            f"--mcpbench-out={directory / 'out'}",
        ]

    return command


OURS = (
    Harness("pytest-mcpbench", plugin_command()),
    Harness("pytest-mcpbench, forked", plugin_command(fork=True), kinds=("per_task",)),
    Harness("pytest-mcpbench -n 2", plugin_command("-n", "2", processes=2), processes=2),
)


def peers() -> tuple[Harness, ...]:
    """Return the other harnesses, which run in a separate environment."""
    python = str(peers_python())

    def of_script(script: str) -> Command:
        def command(workload: Workload, url: str | None, _directory: Path) -> list[str]:
            return [python, str(HERE / "peers" / script), json.dumps({**vars(workload), "url": url, "server": SERVER})]

        return command

    return (
        Harness("Inspect AI", of_script("inspect_ai_tasks.py"), shares_servers=False),
        Harness("pydantic-evals", of_script("pydantic_evals_tasks.py")),
        Harness("DeepEval", of_script("deepeval_tasks.py")),
    )


def peers_python() -> Path:
    """Return a Python interpreter with the other harnesses installed, and install them if necessary.

    ``MCPBENCH_PEERS`` is the directory of the environment; the default is below ``~/.cache``.
    """
    home = Path(os.environ.get("MCPBENCH_PEERS") or Path.home() / ".cache" / "mcpbench-peers")
    requirements, stamp = HERE / "peers" / "requirements.txt", home / "installed.txt"
    python = home / "bin" / "python"
    if not stamp.is_file() or stamp.read_text() != requirements.read_text():
        venv.create(home, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", requirements], check=True)
        subprocess.run([python, "-m", "compileall", "-q", home / "lib"], check=False, stdout=subprocess.DEVNULL)
        stamp.write_text(requirements.read_text())
    return python


def _write_project(workload: Workload, directory: Path, *, fork: bool) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    tasks = (json.dumps(_task(workload, index)) for index in range(workload.tasks))
    (directory / "tasks.jsonl").write_text("\n".join(tasks) + "\n")
    (directory / "suite.toml").write_text('[[files]]\npath = "tasks.jsonl"\n' + _server(workload.kind, fork=fork))
    (directory / "script.json").write_text(json.dumps(_script(workload.kind)))


def _task(workload: Workload, index: int) -> dict[str, object]:
    expected = {"answer": "42"} if workload.kind == "trivial" else {"tool": "look_up", "arguments": {"key": "k"}}
    return {"id": f"task-{index}", "ask": f"What is kept under key {index}?", **expected}


def _script(kind: str) -> list[object]:
    if kind == "trivial":
        return ["<answer>42</answer>"]
    return [{"calls": [{"name": "look_up", "arguments": {"key": "k"}}]}, "It is kept there: value of k"]


def _server(kind: str, *, fork: bool) -> str:
    if kind == "trivial":
        return ""
    if kind in ("shared", "per_task"):
        command = f"command = {json.dumps(SERVER[0])}\narguments = {json.dumps(SERVER[1:])}\n"
        forked = "fork = true\n" if fork else ""
        return f'[servers.lookup]\n{command}state = "{kind}"\n{forked}'
    return '[servers.lookup]\nfactory = "lookup:server"\n'
