"""A viewer in a process of its own, as people start it."""

import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass
class Viewer:
    process: "subprocess.Popen[str]"
    url: str

    @property
    def origin(self) -> str:
        return re.sub(r"^(http://[^/]*)/.*", r"\1", self.url)

    def get(self, path: str = "", **headers: str) -> tuple[int, str]:
        return self.ask(path, headers=headers)

    def json(self, path: str) -> Any:
        return json.loads(self.get(path)[1])

    def post(self, path: str, body: Any, headers: Mapping[str, str] | None = None) -> tuple[int, str]:
        usual = {"Content-Type": "application/json", "Origin": self.origin}
        return self.ask(path, headers={**usual, **(headers or {})}, body=json.dumps(body).encode())

    def ask(self, path: str, *, headers: Mapping[str, str], body: bytes | None = None) -> tuple[int, str]:
        """Return the status and the text of an answer."""
        url = path if path.startswith("http") else self.url + path
        request = urllib.request.Request(url, data=body, headers=dict(headers))
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()


@contextmanager
def viewer(*runs: Path, arguments: tuple[str, ...] = (), name: str = "view") -> Iterator[Viewer]:
    """Start the command and end it with Ctrl-C; it must end with exit code 0 and without an error."""
    command = [sys.executable, "-m", "pytest_mcpbench.cli", name, *map(str, runs), "--no-browser", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        addresses = (re.match(r"(http://127\.0\.0\.1:\d+/\S+/) ", line) for line in process.stdout)
        found = next(filter(None, addresses), None)
        assert found, process.stderr.read() if process.stderr else ""
        yield Viewer(process, found.group(1))
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=10)
        assert (process.returncode, errors) == (0, "")
    finally:
        process.kill()
        process.communicate()
