"""Reference to the tape of one attempt: a file in the directory of a cassette."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pytest_mcpbench.text.paths import name_digest

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_LONGEST_NAME = 80


@dataclass(frozen=True)
class TapeRef:
    """Place of a tape, and whether it is recorded or replayed."""

    mode: Literal["record", "replay"]
    directory: Path
    """Directory of the cassette."""
    file: str
    """Path of the tape in it, see :func:`tape_file`."""
    model: str
    """Everything about the agent's model that can change its replies: id, address, settings; without secrets."""
    judge: str = ""
    """The same of the judge; a judge without a model is not recorded."""
    records_tools: bool = False
    """Whether the results of servers in other processes are recorded as well."""
    remove_secrets: Callable[[str], str] = str
    """Function that returns a text without the secrets in it."""


def tape_file(*names: str, task: str, trial: int) -> str:
    """Return the path of a tape: a directory for each name (suite, test, arm, model), a file for task and trial.

    A name with characters that file systems may refuse is cleaned and gets a digest, so that two stay apart.
    """
    directories = [_file_name(name) for name in names if name]
    return "/".join([*directories, f"{_file_name(task)}-{trial}.jsonl"])


def tools_file(ref: TapeRef, digest: str) -> Path:
    """Return the path of tool definitions, which many tapes of a cassette share."""
    return ref.directory / "tools" / f"{digest}.json"


def _file_name(name: str) -> str:
    cleaned = _UNSAFE.sub("-", name).strip("-.")[:_LONGEST_NAME]
    return name if cleaned == name else f"{cleaned}-{name_digest(name)}"
