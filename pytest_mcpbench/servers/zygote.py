"""Script of a zygote: it imports a Python server once and forks a process of it for each connection.

The server's own interpreter runs it, in an environment without this package: only the standard library is available.
The first argument is the descriptor of a socket; the second is JSON with the modules to import and the server to run.
Requests arrive on the socket, each with three descriptors; the pid and the return code of each process are sent back.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import runpy
import selectors
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import Any

assert sys.platform != "win32", "there is no fork"

_PR_SET_PDEATHSIG = 1
_LONGEST_REQUEST = 1 << 20


class Zygote:
    """Loop that serves requests for processes; in a forked child, :meth:`serve` returns the child's request."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        # The usual self-pipe: Python writes a byte to it when a child ends, which wakes up select(). Python does so
        # only for signals that have a handler, hence the one that does nothing.
        self.woken, wake = socket.socketpair()
        for end in (self.woken, wake):
            end.setblocking(False)
        self.wake = wake
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)

    def send(self, **message: Any) -> None:
        """Send a message to the process that started this one."""
        self.control.sendall(json.dumps(message).encode() + b"\n")

    def serve(self) -> dict[str, Any]:
        """Fork a process for each request; return only in a child, with its request."""
        selector = selectors.DefaultSelector()
        selector.register(self.control, selectors.EVENT_READ)
        selector.register(self.woken, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is self.woken:
                    self.woken.recv(1024)
                    self.reap_children()
                    continue
                request = self.receive_request()
                if request is None:
                    os._exit(0)
                child_request = self.fork(*request)
                if child_request is not None:
                    selector.close()
                    return child_request

    def receive_request(self) -> tuple[dict[str, Any], list[int]] | None:
        """Return one request with its descriptors; ``None`` if the other side has closed the socket."""
        data, descriptors, _, _ = socket.recv_fds(self.control, _LONGEST_REQUEST, 3)
        if not data:
            return None
        # The descriptors come with the first bytes; a long environment may need several reads.
        while not data.endswith(b"\n"):
            data += self.control.recv(_LONGEST_REQUEST)
        return json.loads(data), list(descriptors)

    def fork(self, request: dict[str, Any], descriptors: list[int]) -> dict[str, Any] | None:
        """Fork; return the request in the child and ``None`` in this process."""
        parent = os.getpid()
        pid = os.fork()
        if pid:
            # On both sides, so that the group exists whichever of the two runs first.
            with contextlib.suppress(OSError):
                os.setpgid(pid, pid)
            for descriptor in descriptors:
                os.close(descriptor)
            self.send(number=request["number"], pid=pid)
            return None
        set_up_child(descriptors, parent)
        self.control.close()
        self.woken.close()
        self.wake.close()
        return request

    def reap_children(self) -> None:
        """Reap the children that have ended, and report their return codes."""
        with contextlib.suppress(ChildProcessError):
            # Signals are merged: one SIGCHLD may stand for several children.
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return
                self.send(ended=pid, returncode=os.waitstatus_to_exitcode(status))


def set_up_child(descriptors: list[int], parent: int) -> None:
    """Give a child its process group, its stdin, stdout and stderr, and the signal of its parent's death."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    for target, descriptor in enumerate(descriptors):
        os.dup2(descriptor, target)
        os.close(descriptor)
    # prctl() exists on Linux only; elsewhere the watchdog kills the child.
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # The parent may have died before the call, and then no signal comes any more.
    if os.getppid() != parent:
        os._exit(1)


def import_in_advance(setup: dict[str, Any]) -> None:
    """Import the modules that the setup lists, or else the server itself without running it."""
    set_first_path(Path(setup["script"]).parent if setup["script"] else Path.cwd())
    for name in setup["imports"]:
        importlib.import_module(name)
    if setup["imports"]:
        return
    with contextlib.suppress(ImportError):
        importlib.import_module("mcp.server")
    if setup["script"]:
        # Not "__main__": the server must not start yet. Modules that the script imports stay imported.
        runpy.run_path(setup["script"], run_name="__mcpbench_beforehand__")
    elif not hasattr(importlib.import_module(setup["module"]), "__path__"):
        # runpy warns about a module that is already imported when it is run as __main__; what it imports stays.
        del sys.modules[setup["module"]]


def run(setup: dict[str, Any], request: dict[str, Any]) -> None:
    """Do what ``python -m module`` or ``python script`` would do."""
    os.chdir(request["directory"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = [setup["script"] or setup["module"], *request["arguments"]]
    if setup["module"]:
        set_first_path(Path(request["directory"]))
        runpy.run_module(setup["module"], run_name="__main__", alter_sys=True)
    else:
        set_first_path(Path(setup["script"]).parent)
        runpy.run_path(setup["script"], run_name="__main__")


def set_first_path(directory: Path) -> None:
    """Replace this script's directory, the first entry of ``sys.path``, by another directory."""
    sys.path[0:1] = [str(directory)]


def main() -> None:
    """Import the server, report that the zygote is ready, serve requests, and run the server in each child."""
    setup = json.loads(sys.argv[2])
    control = socket.socket(fileno=int(sys.argv[1]))
    import_in_advance(setup)
    if threading.active_count() > 1:
        sys.exit("importing it starts threads, which a fork does not copy")
    zygote = Zygote(control)
    # Frozen objects are not touched by the garbage collector, so that their memory pages stay shared after a fork.
    gc.collect()
    gc.freeze()
    zygote.send(ready=True)
    run(setup, zygote.serve())


if __name__ == "__main__":
    main()
