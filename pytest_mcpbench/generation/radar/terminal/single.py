"""Terminal requests that one call fulfils: five for each tool, in the order of the server's tool list."""

from typing import Any

from pytest_mcpbench.generation.radar.request import Request, ToolCall, request

ORDERS, RENDER, INSTALLER, STOCK, PHOTOS, SLEEPER, PRICES = 4139, 4152, 4168, 4183, 4191, 4206, 4127
"""Process ids of the sessions that are running when a task starts."""


def singles() -> list[Request]:
    """Return all requests. They describe sessions and processes, so that the agent has to look up the ids."""
    return [
        *_get_config_requests(),
        *_set_config_requests(),
        *_start_process_requests(),
        *_read_output_requests(),
        *_interact_requests(),
        *_force_terminate_requests(),
        *_list_sessions_requests(),
        *_list_processes_requests(),
        *_kill_process_requests(),
    ]


def _call(tool: str, prompt: str, **arguments: Any) -> Request:
    return request(prompt, ToolCall(tool, arguments))


def _get_config_requests() -> list[Request]:
    tool = "get_config"
    return [
        _call(tool, "Which commands are you forbidden to use here? Look into your settings."),
        _call(tool, "How many lines of a file may you read in one go, the way things are set?"),
        _call(tool, "Does this server send telemetry at the moment?"),
        _call(tool, "What shell is a command given if nobody names one? I mean the configured one."),
        _call(tool, "Print everything that your configuration says."),
    ]


def _set_config_requests() -> list[Request]:
    tool = "set_config_value"
    return [
        _call(tool, "Raise the limit for reading files to 2500 lines.", key="fileReadLineLimit", value=2500),
        _call(tool, "No more telemetry from now on, please.", key="telemetryEnabled", value=False),
        _call(tool, "Let /bin/bash be the shell that commands get by default.", key="defaultShell", value="/bin/bash"),
        _call(
            tool,
            "Block sudo, dd and mkfs, and lift the block on all other commands.",
            key="blockedCommands",
            value=["sudo", "dd", "mkfs"],
        ),
        _call(tool, "You should be able to write 120 lines to a file at a time.", key="fileWriteLineLimit", value=120),
    ]


def _start_process_requests() -> list[Request]:
    tool = "start_process"
    return [
        _call(
            tool, "Run `wc -l notes/todo.md` and give it two seconds.", command="wc -l notes/todo.md", timeout_ms=2000
        ),
        _call(
            tool,
            "Execute `grep -c ERROR logs/server.log`; the time limit is 1500 milliseconds.",
            command="grep -c ERROR logs/server.log",
            timeout_ms=1500,
        ),
        _call(
            tool,
            "In /bin/bash instead of the usual shell, and for three seconds at most: `sort -u data/colours.txt`",
            command="sort -u data/colours.txt",
            timeout_ms=3000,
            shell="/bin/bash",
        ),
        _call(
            tool,
            "Set `sleep 45; echo tea is ready` going and come back to me after half a second.",
            command="sleep 45; echo tea is ready",
            timeout_ms=500,
        ),
        _call(
            tool,
            "Have `cut -d, -f1 projects/lantern/loans.csv | tail -n +2 | sort > downloads/objects.txt` carried out "
            "within five seconds.",
            command="cut -d, -f1 projects/lantern/loans.csv | tail -n +2 | sort > downloads/objects.txt",
            timeout_ms=5000,
        ),
    ]


def _read_output_requests() -> list[Request]:
    tool = "read_process_output"
    return [
        _call(tool, "Is there any news from the script that renders the views?", pid=RENDER),
        _call(tool, "What does the session say that is to sync my photos?", pid=PHOTOS),
        _call(tool, "The install script in one of my sessions has a question. Which?", pid=INSTALLER),
        _call(tool, "Show me what the session that follows the orders log has come up with so far.", pid=ORDERS),
        _call(
            tool,
            "One session only sleeps. Listen to it for twenty seconds all the same, in case it prints something.",
            pid=SLEEPER,
            timeout_ms=20000,
        ),
    ]


def _interact_requests() -> list[Request]:
    tool = "interact_with_process"
    return [
        _call(
            tool,
            "Two of my sessions are Python. Ask the one that was started without a script: `sum(prices)`",
            pid=PRICES,
            input="sum(prices)",
        ),
        _call(
            tool,
            "Enter `round(max(prices) * (1 + rate), 2)` at the prompt of the Python that runs no script.",
            pid=PRICES,
            input="round(max(prices) * (1 + rate), 2)",
        ),
        _call(
            tool,
            "What does `stock['oak'] + stock['ash']` give in the session with stock.py?",
            pid=STOCK,
            input="stock['oak'] + stock['ash']",
        ),
        _call(tool, "The installer wants a y or an n from me. My answer is y.", pid=INSTALLER, input="y"),
        _call(
            tool,
            "`sorted(stock)` is what I would like to hear from the stock.py prompt; allow it ten seconds.",
            pid=STOCK,
            input="sorted(stock)",
            timeout_ms=10000,
        ),
    ]


def _force_terminate_requests() -> list[Request]:
    tool = "force_terminate"
    return [
        _call(tool, "Syncing the photos hangs. Terminate that session by force.", pid=PHOTOS),
        _call(tool, "I am done with the session that follows the orders log: terminate it, forcibly.", pid=ORDERS),
        _call(tool, "Break off the rendering by a forced termination of its session.", pid=RENDER),
        _call(tool, "Do not answer the installer. Force its session to terminate instead.", pid=INSTALLER),
        _call(tool, "There is a session in which only a sleep runs. Force-terminate it.", pid=SLEEPER),
    ]


def _list_sessions_requests() -> list[Request]:
    tool = "list_sessions"
    return [
        _call(tool, "Which terminal sessions have I got open?"),
        _call(tool, "For how many seconds has each of my sessions been running?"),
        _call(tool, "Are any of the sessions blocked right now?"),
        _call(tool, "Count the sessions that are going on in this terminal."),
        _call(tool, "Does session 4168 still exist?"),
    ]


def _list_processes_requests() -> list[Request]:
    tool = "list_processes"
    return [
        _call(tool, "What is up and running on this machine, services of the system included?"),
        _call(tool, "Which process needs the most CPU just now?"),
        _call(tool, "Is Postgres alive on this computer?"),
        _call(tool, "How much memory has Blender taken?"),
        _call(tool, "Under which PID do I find cron?"),
    ]


def _kill_process_requests() -> list[Request]:
    tool = "kill_process"
    return [
        _call(tool, "Kill the conversion of the harbour tour to mp4.", pid=1377),
        _call(tool, "My photos are being copied to the backup with rsync. Kill that.", pid=1560),
        _call(tool, "Of all processes, kill the one that takes up most of the memory.", pid=1988),
        _call(tool, "Something is compressing last year's logs. Find it and kill it.", pid=2290),
        _call(tool, "The web server that listens on port 8080 has to go; kill it.", pid=1204),
    ]
