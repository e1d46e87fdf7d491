"""Detection of prompts and ends in the output of a process, as Desktop Commander does it.

These are the real server's patterns, including their mistakes: an error message counts as the end of the process.
"""

import re
from dataclasses import dataclass

_PROMPTS = (
    *(">>> ", "... ", "> ", "+ ", "julia> ", "       ", "$ ", "# ", "% ", "bash-", "zsh-", "mysql> ", "    -> "),
    *("=# ", "-# ", "redis> "),
)
_ERRORS = re.compile(
    r"Error:|Exception:|Traceback|SyntaxError|NameError|TypeError|ValueError|ReferenceError|Uncaught|at Object\."
    r"|^\s*\^",
    re.IGNORECASE | re.MULTILINE,
)
_ENDS = re.compile(
    r"Process finished|Command completed|\[Process completed\]|Program terminated|Exit code:", re.IGNORECASE
)


@dataclass(frozen=True)
class DetectedState:
    """The state of a process as it appears from its output."""

    prompt: str | None = None
    is_finished: bool = False

    def message(self, pid: int) -> str:
        """Return the status message, or an empty text if the process seems to be running."""
        if self.prompt is not None:
            return f'🔄 Process {pid} is waiting for input (detected: "{self.prompt.strip()}")'
        return f"✅ Process {pid} has finished execution" if self.is_finished else ""


def detect(output: str) -> DetectedState:
    """Return the state that an output suggests."""
    if not output.strip():
        return DetectedState()
    lines = output.split("\n")
    prompt = next((pattern for pattern in _PROMPTS if pattern in lines[-1]), None)
    if prompt is not None:
        return DetectedState(prompt=prompt)
    return DetectedState(is_finished=bool(_ENDS.search(output) or _ERRORS.search("\n".join(lines[-3:]))))


def clean(output: str, input_text: str) -> str:
    """Return an output without prompts and without the echoed input."""
    for line in input_text.split("\n"):
        if line.strip():
            output = re.sub(rf"^{re.escape(line.strip())}\s*\n?", "", output, count=1, flags=re.MULTILINE)
    for prompt in (">>>", ">", r"\.{3}", r"\+"):
        output = re.sub(rf"^{prompt}\s*", "", output, flags=re.MULTILINE)
    return output.strip()
