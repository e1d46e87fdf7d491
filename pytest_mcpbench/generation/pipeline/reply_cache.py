"""Replies of models in the work directory, so that no question is paid for twice."""

import hashlib
import json
from pathlib import Path

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.usage import NO_USAGE, Usage
from pytest_mcpbench.files.line_file import LineFile, read_lines
from pytest_mcpbench.servers.secret_filter import SecretFilter


class _StoredReply(FrozenModel):
    """One line of the file."""

    key: str
    prompt: str
    reply: str
    usage: Usage


class BudgetError(UsageError):
    """The budget of the run is used up."""


class ReplyCache:
    """File of replies by everything that determines them: model, instructions, prompt and form of the reply.

    Args:
        file: The file.
        secrets: Removes secrets from its lines.
        most_cost_usd: Cost of all replies in the file at which no further question is asked.
    """

    def __init__(self, file: Path, secrets: SecretFilter | None = None, *, most_cost_usd: float | None = None) -> None:
        self._file = LineFile(file)
        self._secrets = secrets or SecretFilter()
        self._most_cost_usd = most_cost_usd
        stored = [line for _, line in read_lines(file, _StoredReply)] if file.exists() else []
        self._replies = {line.key: line.reply for line in stored}
        self.usage = sum((line.usage for line in stored), NO_USAGE)
        """Usage of all replies in the file, those of earlier runs included."""

    def get(self, key: str) -> str | None:
        """Return the stored reply to a question."""
        return self._replies.get(key)

    def put(self, key: str, *, prompt: str, reply: str, usage: Usage) -> None:
        """Store a reply."""
        line = self._secrets.remove_from_model(_StoredReply(key=key, prompt=prompt, reply=reply, usage=usage))
        self._file.append(line.model_dump_json().encode())
        self._replies[key] = reply
        self.usage += usage

    def check_budget(self, model: str) -> None:
        """Raise BudgetError if the budget is used up, or UsageError if the price of a model is unknown."""
        if self._most_cost_usd is None:
            return
        spent = self.usage.cost_usd
        if spent is None:
            raise UsageError(f"--max-cost: the price of {model} is unknown, so the budget cannot be kept.")
        if spent >= self._most_cost_usd:
            raise BudgetError(f"--max-cost: ${spent:.4f} of ${self._most_cost_usd:g} are spent; raise it to go on.")


def question_key(*parts: object) -> str:
    """Return the key of everything that determines a reply."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:32]
