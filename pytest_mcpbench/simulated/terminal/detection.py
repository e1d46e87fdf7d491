"""What Desktop Commander takes the output of a process for: a prompt, an end, or neither.

These are the real server's patterns, with their mistakes: an error message counts as an end.
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
class Detected:
    """What an output looks like."""

    prompt: str | None = None
    is_finished: bool = False

    def message(self, pid: int) -> str:
        """The sentence about it; empty where the process seems to run."""
        if self.prompt is not None:
            return f'🔄 Process {pid} is waiting for input (detected: "{self.prompt.strip()}")'
        return f"✅ Process {pid} has finished execution" if self.is_finished else ""


def detected(output: str) -> Detected:
    """What an output looks like."""
    if not output.strip():
        return Detected()
    lines = output.split("\n")
    prompt = next((one for one in _PROMPTS if one in lines[-1]), None)
    if prompt is not None:
        return Detected(prompt=prompt)
    return Detected(is_finished=bool(_ENDS.search(output) or _ERRORS.search("\n".join(lines[-3:]))))


def cleaned(output: str, sent: str) -> str:
    """An output without prompts and without what was sent."""
    for line in sent.split("\n"):
        if line.strip():
            output = re.sub(rf"^{re.escape(line.strip())}\s*\n?", "", output, count=1, flags=re.MULTILINE)
    for prompt in (">>>", ">", r"\.{3}", r"\+"):
        output = re.sub(rf"^{prompt}\s*", "", output, flags=re.MULTILINE)
    return output.strip()
