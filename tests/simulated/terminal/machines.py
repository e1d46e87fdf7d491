"""A simulated machine over a small directory, and the tools that work on it."""

from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, World
from pytest_mcpbench.simulated.engine import ToolFailure
from pytest_mcpbench.simulated.terminal.server import simulation

FILES = {
    "fruit.txt": "pear 3\napple 12\nfig 1\napple 2\n",
    "data/a.csv": "name,amount\nann,5\nbo,7\ncy,5\n",
    "data/b.csv": "name,amount\ndee,1\n",
    "data/old/c.txt": "",
    ".hidden": "secret\n",
}


class Terminal:
    """The nine tools over one attempt's machine."""

    def __init__(self, directory: Path, seed: Any = "empty") -> None:
        self.directory = directory
        for name, text in FILES.items():
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            (directory / name).write_text(text)
        self.world = World("terminal", directory, DEFAULT_NOW, Ids("a-task"), seed)
        self.simulation = simulation("/home/ann")
        self.machine = self.simulation.state(self.world)

    def call(self, tool: str, **arguments: Any) -> str:
        answer: str = self.simulation.call(self.machine, tool, arguments)
        return answer

    def refusal(self, tool: str, **arguments: Any) -> str:
        with pytest.raises(ToolFailure) as caught:
            self.call(tool, **arguments)
        return str(caught.value)

    def run(self, command: str, timeout_ms: float = 1000, **arguments: Any) -> str:
        """What a command prints."""
        answer = self.call("start_process", command=command, timeout_ms=timeout_ms, **arguments)
        return answer.partition("Initial output:\n")[2]

    def start(self, command: str) -> int:
        """The id of a process that was started."""
        answer = self.call("start_process", command=command, timeout_ms=100)
        return int(answer.split("PID ")[1].split()[0])
