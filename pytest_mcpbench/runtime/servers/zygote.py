"""Imports a Python server once and forks a process of it for each connection; run by the server's own interpreter.

It is run as a script, with nothing of this package importable: the standard library must do. Its first argument is the
descriptor of a socket, the rest is JSON: what to import beforehand and what to run. Over the socket come requests for
processes, each with three descriptors; back go what it made of them and how each process ended.
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

_PR_SET_PDEATHSIG = 1
_LONGEST_REQUEST = 1 << 20


class Zygote:
    """Waits for requests; in a child that it forks, :meth:`serve` returns what that is to be."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.woken, wake = socket.socketpair()
        for end in (self.woken, wake):
            end.setblocking(False)
        self.wake = wake
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)

    def say(self, **message: Any) -> None:
        """Tell the other side."""
        self.control.sendall(json.dumps(message).encode() + b"\n")

    def serve(self) -> dict[str, Any]:
        """Fork what is asked for; in a child, give back the request."""
        selector = selectors.DefaultSelector()
        selector.register(self.control, selectors.EVENT_READ)
        selector.register(self.woken, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is self.woken:
                    self.woken.recv(1024)
                    self.tell_who_ended()
                    continue
                request = self.received()
                if request is None:
                    os._exit(0)
                job = self.forked(*request)
                if job is not None:
                    selector.close()
                    return job

    def received(self) -> tuple[dict[str, Any], list[int]] | None:
        """One request with its descriptors; nothing when the other side is gone."""
        data, descriptors, _, _ = socket.recv_fds(self.control, _LONGEST_REQUEST, 3)
        if not data:
            return None
        while not data.endswith(b"\n"):
            data += self.control.recv(_LONGEST_REQUEST)
        return json.loads(data), list(descriptors)

    def forked(self, request: dict[str, Any], descriptors: list[int]) -> dict[str, Any] | None:
        """The request in the child; nothing in this process."""
        mother = os.getpid()
        pid = os.fork()
        if pid:
            # On both sides, so that the group is there whichever comes first.
            with contextlib.suppress(OSError):
                os.setpgid(pid, pid)
            for descriptor in descriptors:
                os.close(descriptor)
            self.say(number=request["number"], pid=pid)
            return None
        become_a_server(descriptors, mother)
        self.control.close()
        self.woken.close()
        self.wake.close()
        return request

    def tell_who_ended(self) -> None:
        """Reap children."""
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return
                self.say(ended=pid, returncode=os.waitstatus_to_exitcode(status))


def become_a_server(descriptors: list[int], mother: int) -> None:
    """In the child: a process group of its own, the descriptors as stdin, stdout and stderr, death with the parent."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    for target, descriptor in enumerate(descriptors):
        os.dup2(descriptor, target)
        os.close(descriptor)
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != mother:
        os._exit(1)


def import_beforehand(setup: dict[str, Any]) -> None:
    """Import what was asked for, or the server itself without running it."""
    place_on_path(Path(setup["script"]).parent if setup["script"] else Path.cwd())
    for name in setup["imports"]:
        importlib.import_module(name)
    if setup["imports"]:
        return
    with contextlib.suppress(ImportError):
        importlib.import_module("mcp.server")
    if setup["script"]:
        runpy.run_path(setup["script"], run_name="__mcpbench_beforehand__")
    elif not hasattr(importlib.import_module(setup["module"]), "__path__"):
        # It is to be run as __main__, for which it must not seem to be imported; what it imports stays.
        del sys.modules[setup["module"]]


def run(setup: dict[str, Any], request: dict[str, Any]) -> None:
    """What ``python -m module`` or ``python script`` would do."""
    os.chdir(request["directory"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = [setup["script"] or setup["module"], *request["arguments"]]
    if setup["module"]:
        place_on_path(Path(request["directory"]))
        runpy.run_module(setup["module"], run_name="__main__", alter_sys=True)
    else:
        place_on_path(Path(setup["script"]).parent)
        runpy.run_path(setup["script"], run_name="__main__")


def place_on_path(directory: Path) -> None:
    """As the first entry, in place of this script's own directory."""
    sys.path[0:1] = [str(directory)]


def main() -> None:
    """Import, say so, serve; what comes back is a child's to run."""
    setup = json.loads(sys.argv[2])
    control = socket.socket(fileno=int(sys.argv[1]))
    import_beforehand(setup)
    if threading.active_count() > 1:
        sys.exit("importing it starts threads, which a fork does not copy")
    zygote = Zygote(control)
    gc.collect()
    gc.freeze()
    zygote.say(ready=True)
    run(setup, zygote.serve())


if __name__ == "__main__":
    main()
