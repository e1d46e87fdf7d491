"""File of decisions, ``review.jsonl``, to which lines are only ever appended."""

import json
import os
import warnings
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from pytest_mcpbench.core.review import Decision
from pytest_mcpbench.files.line_file import (
    DamagedRecordWarning,
    LineFile,
    TornRecordWarning,
    counted_losses,
    read_lines,
)

FILE_NAME = "review.jsonl"


@dataclass(frozen=True)
class ReadDecisions:
    """Decisions in the order of the lines, with the problems of lines that are none."""

    decisions: tuple[Decision, ...] = ()
    damaged: tuple[str, ...] = ()


class DecisionFile:
    """The decisions about a suite. The file is read anew each time, because others append to it, too."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def can_be_written(self) -> bool:
        if self.path.exists():
            return self.path.is_file() and os.access(self.path, os.W_OK)
        return self.path.parent.is_dir() and os.access(self.path.parent, os.W_OK)

    def read(self) -> ReadDecisions:
        """Return all decisions; a line that is damaged stays in the file and is named."""
        return read_decisions(self.path) if self.path.is_file() else ReadDecisions()

    def append(self, decision: Decision) -> None:
        """Append a decision as one line.

        Raises:
            StorageError: it cannot be written.
        """
        with closing(LineFile(self.path)) as file:
            file.append(decision_line(decision).encode("utf-8", "replace"))


def decision_line(decision: Decision) -> str:
    """Return the line of a decision, without fields that it does not need."""
    return json.dumps(decision.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False)


def read_decisions(path: Path) -> ReadDecisions:
    """Return the decisions of a file, which exists."""
    with counted_losses() as losses, warnings.catch_warnings():
        # The lines are named by whoever shows the decisions.
        warnings.simplefilter("ignore", DamagedRecordWarning)
        warnings.simplefilter("ignore", TornRecordWarning)
        decisions = tuple(decision for _, decision in read_lines(path, Decision))
    return ReadDecisions(decisions, tuple(losses))
