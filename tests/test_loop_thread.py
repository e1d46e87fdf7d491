"""Event loops in threads that end before what they have started."""

import subprocess
import sys

INTERRUPTED = """
import asyncio, os, threading
from pytest_mcpbench.concurrency import LoopThread

loop, (read, write) = LoopThread("loop"), os.pipe()
process = loop.call(asyncio.create_subprocess_exec("cat", stdin=read))
watchers = [thread for thread in threading.enumerate() if "waitpid" in thread.name]
loop.close(asyncio.sleep(0), within_seconds=5)
os.close(write)
for watcher in watchers:
    watcher.join()
os._exit(0)
"""


def test_a_process_that_ends_after_its_loop_is_no_warning() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""
