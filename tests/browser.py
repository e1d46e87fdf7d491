"""A headless Chromium that tests drive through its DevTools protocol, without a network."""

import base64
import fcntl
import itertools
import json
import os
import shutil
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from types import MappingProxyType
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

_FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)
_NONE: Mapping[str, Any] = MappingProxyType({})
SETTLED = "new Promise((done) => requestIdleCallback(() => setTimeout(done, 80), {timeout: 300}))"


class Browser:
    """One page of a browser; messages travel over two pipes, each followed by a zero byte."""

    def __init__(self, to_browser: int, from_browser: FileIO) -> None:
        self._to = to_browser
        self._from = from_browser
        self._received = b""
        self._numbers = itertools.count(1)
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.send("Page.setLifecycleEventsEnabled", enabled=True)
        self.send("Performance.enable", timeDomain="threadTicks")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Return the answer to a command; events that come before it are added to :attr:`events`."""
        number = next(self._numbers)
        session = {"sessionId": self._session} if self._session else {}
        message = {"id": number, "method": method, "params": parameters, **session}
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while (answer := self._receive()).get("id") != number:
            self.events.append(answer)
        assert "error" not in answer, answer["error"]
        result: dict[str, Any] = answer["result"]
        return result

    def open(self, address: str) -> None:
        """Load a page and wait until its script is idle."""
        self.load(address)
        self.settle()

    def load(self, address: str) -> None:
        """Load a page and wait until it is loaded, also if only the fragment of its address is new."""
        self._navigate("about:blank")
        self.events.clear()
        self._navigate(address)

    def _navigate(self, address: str) -> None:
        """Load a document and wait for its own load event: that of the document before may come late."""
        answer = self.send("Page.navigate", url=address)
        assert "errorText" not in answer, (address, answer["errorText"])
        while not any(_is_load_of(event, answer["loaderId"]) for event in self.events):
            self.events.append(self._receive())

    def settle(self) -> None:
        """Wait until the script of the page is idle."""
        self.run(SETTLED)

    def run(self, expression: str) -> Any:
        """Return the value of an expression in the page."""
        answer = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait_for(self, expression: str) -> None:
        """Wait until an expression is true; a test that waits for ever is ended by its time limit."""
        self.run(
            f"new Promise((done) => {{ const look = () => ({expression}) ? done() : setTimeout(look, 20); look(); }})"
        )

    def press(self, *keys: str) -> None:
        """Press keys one after the other, as a keyboard does."""
        for key in keys:
            text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
            code = {"Enter": 13, "Tab": 9, "Escape": 27, "ArrowDown": 40}.get(key, 0)
            shared = {"key": key, "code": key, "windowsVirtualKeyCode": code}
            self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **shared)
            self.send("Input.dispatchKeyEvent", type="keyUp", **shared)
            self.settle()

    def show(self, *, width: int, height: int = 900, scheme: str = "light") -> None:
        """Set the size of the window and the preferred colours."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.settle()

    def screenshot(self, path: Path) -> None:
        """Write what is in view as a PNG."""
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot")["data"]))

    def print(self, path: Path) -> None:
        """Write the page as a PDF."""
        path.write_bytes(base64.b64decode(self.send("Page.printToPDF")["data"]))

    def metrics(self) -> dict[str, float]:
        """Return Chromium's metrics of the page; durations are processor time of the page's thread in seconds."""
        return {each["name"]: each["value"] for each in self.send("Performance.getMetrics")["metrics"]}

    @property
    def complaints(self) -> list[str]:
        """Errors of scripts, and what the policy of the page has refused."""
        errors = [event["params"]["entry"]["text"] for event in self.events if event.get("method") == "Log.entryAdded"]
        thrown = [event for event in self.events if event.get("method") == "Runtime.exceptionThrown"]
        return errors + [json.dumps(event["params"]["exceptionDetails"]) for event in thrown]

    @property
    def requests(self) -> list[str]:
        """Addresses that the page has asked for."""
        sent = (event for event in self.events if event.get("method") == "Network.requestWillBeSent")
        return [event["params"]["request"]["url"] for event in sent]

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._received:
            content = self._from.read(1 << 20)
            assert content, "Chromium has ended"
            self._received += content
        message, _, self._received = self._received.partition(b"\0")
        parsed: dict[str, Any] = json.loads(message)
        return parsed


def _is_load_of(event: Mapping[str, Any], loader: str) -> bool:
    is_load = event.get("method") == "Page.lifecycleEvent" and event["params"]["name"] == "load"
    return is_load and event["params"]["loaderId"] == loader


@contextmanager
def browser(directory: Path) -> Iterator[Browser]:
    """Start Chromium with its profile in a directory, and end it afterwards."""
    assert CHROMIUM is not None
    child_reads, to_browser = os.pipe()
    from_browser, child_writes = os.pipe()
    # The sandbox of Chromium does not start as root, as which CI runs.
    as_root = ("--no-sandbox",) if os.geteuid() == 0 else ()
    command = [CHROMIUM, *_FLAGS, *as_root, f"--user-data-dir={directory / 'profile'}"]
    process = _spawn(command, child_reads, child_writes)
    os.close(child_reads)
    os.close(child_writes)
    try:
        with FileIO(from_browser) as messages:
            yield Browser(to_browser, messages)
    finally:
        os.close(to_browser)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


def _spawn(command: list[str], reads: int, writes: int) -> int:
    """Start Chromium, which expects the pipes as descriptors 3 and 4, and return its process id."""
    # Copies above 4, so that neither replaces the other.
    reads, writes = (fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, 10) for each in (reads, writes))
    try:
        silence = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
        pipes = [(os.POSIX_SPAWN_DUP2, reads, 3), (os.POSIX_SPAWN_DUP2, writes, 4)]
        return os.posix_spawn(command[0], command, os.environ, file_actions=[*silence, *pipes])
    finally:
        os.close(reads)
        os.close(writes)
