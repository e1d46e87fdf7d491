"""Terminal requests that need two or three calls in a fixed order: starting a process, typing, reading its output."""

from collections.abc import Callable
from typing import Any

from pytest_mcpbench.generation.radar.request import Request, ToolCall, request
from pytest_mcpbench.generation.radar.terminal.single import INSTALLER, PHOTOS, PRICES, RENDER, STOCK

Pid = Callable[[str], int]
"""Function that returns the process id that a command will get."""


def chains(pid: Pid) -> list[Request]:
    """Return eighteen requests, as many as in MCP-RADAR."""
    return [
        *_start_and_type_requests(pid),
        *_start_and_read_requests(pid),
        *_type_and_start_requests(),
        *_all_three_requests(pid),
        *_read_and_start_requests(),
    ]


def _start(command: str, milliseconds: int) -> ToolCall:
    return ToolCall("start_process", {"command": command, "timeout_ms": milliseconds})


def _type(pid: int, line: str, **arguments: Any) -> ToolCall:
    return ToolCall("interact_with_process", {"pid": pid, "input": line, **arguments})


def _read(pid: int, **arguments: Any) -> ToolCall:
    return ToolCall("read_process_output", {"pid": pid, **arguments})


def _start_and_type_requests(pid: Pid) -> list[Request]:
    return [
        request(
            "Open a Python with `python3 -i` (two seconds), then let it work out `17 * 23 - 4`.",
            _start("python3 -i", 2000),
            _type(pid("python3 -i"), "17 * 23 - 4"),
        ),
        request(
            "I want to know what `sum(range(1, 101))` is. Start `python3` for it, with one second to come up, and type "
            "it in there.",
            _start("python3", 1000),
            _type(pid("python3"), "sum(range(1, 101))"),
        ),
        request(
            "`python3 -q`, limit 1500 milliseconds; at its prompt `', '.join(sorted(['oak', 'ash', 'larch']))`",
            _start("python3 -q", 1500),
            _type(pid("python3 -q"), "', '.join(sorted(['oak', 'ash', 'larch']))"),
        ),
        request(
            "Get an interpreter going (`python3 -q -i`, three seconds) and have it say how long the word is: "
            "`len('samphire')`",
            _start("python3 -q -i", 3000),
            _type(pid("python3 -q -i"), "len('samphire')"),
        ),
        request(
            "With `python -i` as a new process (timeout: 2500 milliseconds), calculate the price with tax, namely "
            "`round(349 * 1.19, 2)`.",
            _start("python -i", 2500),
            _type(pid("python -i"), "round(349 * 1.19, 2)"),
        ),
        request(
            "First `python`, four seconds; second, in it, `max([3, 17, 8]) - min([3, 17, 8])`.",
            _start("python", 4000),
            _type(pid("python"), "max([3, 17, 8]) - min([3, 17, 8])"),
        ),
    ]


def _start_and_read_requests(pid: Pid) -> list[Request]:
    return [
        request(
            "Start `sleep 4; wc -w notes/ideas.md` without waiting longer than half a second, and fetch its output "
            "after that.",
            _start("sleep 4; wc -w notes/ideas.md", 500),
            _read(pid("sleep 4; wc -w notes/ideas.md")),
        ),
        request(
            "`sleep 2; sort -t, -k2 -n data/stock.csv | tail -n 1` is to be set off with a limit of 200 milliseconds. "
            "What does it print in the end?",
            _start("sleep 2; sort -t, -k2 -n data/stock.csv | tail -n 1", 200),
            _read(pid("sleep 2; sort -t, -k2 -n data/stock.csv | tail -n 1")),
        ),
        request(
            "Launch `sleep 3; find . -name '*.png'` (one second), then look which pictures it has found.",
            _start("sleep 3; find . -name '*.png'", 1000),
            _read(pid("sleep 3; find . -name '*.png'")),
        ),
        request(
            "Let `sleep 8; date +%T` start and return at once, that is, with 100 milliseconds. Then read it, waiting "
            "ten seconds if need be.",
            _start("sleep 8; date +%T", 100),
            _read(pid("sleep 8; date +%T"), timeout_ms=10000),
        ),
        request(
            "Begin `sleep 1; sha256sum downloads/ticket.txt` with 300 milliseconds of patience and get me the digest "
            "from its process.",
            _start("sleep 1; sha256sum downloads/ticket.txt", 300),
            _read(pid("sleep 1; sha256sum downloads/ticket.txt")),
        ),
    ]


def _type_and_start_requests() -> list[Request]:
    return [
        request(
            "First `stock['larch']` at the stock.py prompt, then, as a process of its own with two seconds, "
            "`grep larch data/stock.csv`.",
            _type(STOCK, "stock['larch']"),
            _start("grep larch data/stock.csv", 2000),
        ),
        request(
            "Tell the waiting installer n. Once it is gone, run `ls tools`, for one second at most.",
            _type(INSTALLER, "n"),
            _start("ls tools", 1000),
        ),
        request(
            "Of the Python session without a script I want `len(prices)`; after it, in a new process and with a limit "
            "of 800 milliseconds, `date +%F`.",
            _type(PRICES, "len(prices)"),
            _start("date +%F", 800),
        ),
    ]


def _all_three_requests(pid: Pid) -> list[Request]:
    return [
        request(
            "Start `python3 -i -q` (two seconds). Send it `2 ** 20` without waiting for a reply, and only then read "
            "what it has written.",
            _start("python3 -i -q", 2000),
            _type(pid("python3 -i -q"), "2 ** 20", wait_for_prompt=False),
            _read(pid("python3 -i -q")),
        ),
        request(
            "Three steps: `python -q` with a second to come up; hand it `'tide'.upper() * 2` and do not wait for its "
            "prompt; collect the output.",
            _start("python -q", 1000),
            _type(pid("python -q"), "'tide'.upper() * 2", wait_for_prompt=False),
            _read(pid("python -q")),
        ),
    ]


def _read_and_start_requests() -> list[Request]:
    return [
        request(
            "See how far the rendering session has got, then run `cat tools/render.sh` with a second's limit.",
            _read(RENDER),
            _start("cat tools/render.sh", 1000),
        ),
        request(
            "What is the matter with the photo sync? Read its session, and next run `ls projects/harbour-hall/photos`, "
            "two seconds.",
            _read(PHOTOS),
            _start("ls projects/harbour-hall/photos", 2000),
        ),
    ]
