"""Check of a server against its lock, and the text that explains the outcome."""

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_mcpbench.definitions.canonical import ServerDefinition
from pytest_mcpbench.definitions.compatibility import DefinitionChange, compare_servers, of_verdict, require_same_server
from pytest_mcpbench.definitions.compatibility_rules import Compatibility
from pytest_mcpbench.definitions.lock import Lock, make_lock
from pytest_mcpbench.text.words import shortened_list

ACCEPT = "mcpbench lock --accept"
_TITLES: dict[Compatibility, str] = {"breaking": "breaking", "measure": "needs measurement", "compatible": "compatible"}
_LONGEST_TEXT = 600
_NAMES_SHOWN = 3
"""Names of a verdict: what failed a run is told on one line."""


@dataclass(frozen=True)
class LockCheck:
    """A lock, the server as it is now, and the changes between them."""

    file: str
    lock: Lock
    now: Lock
    changes: tuple[DefinitionChange, ...]

    @property
    def is_current(self) -> bool:
        """Return whether the lock holds the server as it is."""
        return not self.changes and not self.lock.edited_tools

    def must_be_accepted(self, *, is_measured: bool = False) -> bool:
        """Return whether someone has to accept the changes; texts of tools need it unless this run measures them."""
        if self.lock.edited_tools or of_verdict(self.changes, "breaking"):
            return True
        for change in of_verdict(self.changes, "measure"):
            # Agents see these in the arms of a comparison: changes of tools, their order or the instructions.
            is_seen = change.tool is not None or change.rule.id in ("tool-order-changed", "instructions-changed")
            if not (is_measured and is_seen):
                return True
        return False


def check_lock(lock: Lock, before: ServerDefinition, server: ServerDefinition, file: str) -> LockCheck:
    """Compare a server with its lock. Raises UsageError if the lock is that of another server.

    Args:
        lock: The lock.
        before: The server of the lock, with placeholders for local paths, which older locks do not have.
        server: The server as it is now, with the same placeholders.
        file: Name of the lock in messages.
    """
    require_same_server(before, server, file)
    return LockCheck(file, lock, make_lock(server), compare_servers(before, server))


def report_lines(check: LockCheck, *, is_measured: bool = False) -> Iterator[str]:
    """Yield the lines that explain a check: a summary, the changes by verdict, and what to do."""
    edited = check.lock.edited_tools
    parts = [f"edited by hand: {shortened_list(edited, _NAMES_SHOWN)}"] if edited else []
    for verdict, title in _TITLES.items():
        changes = of_verdict(check.changes, verdict)
        if changes:
            subjects = dict.fromkeys(change.tool or "the server" for change in changes)
            parts.append(f"{len(changes)} {title}: {shortened_list(subjects, _NAMES_SHOWN)}")
    tokens = f"{check.now.tokens - check.lock.tokens:+d} tokens, now {check.now.tokens}"
    yield f"{check.file}: {check.lock.server!r} has changed: {'; '.join(parts)} ({tokens})"
    for tool in edited:
        yield f"  edited by hand: {tool}: its hashes do not belong to its definition"
    for verdict, title in _TITLES.items():
        for change in of_verdict(check.changes, verdict):
            where = ": ".join(filter(None, (change.tool, change.place))) or "the server"
            if change.verdict == "measure" and change.before is not None and change.after is not None:
                before, after = change.values(_LONGEST_TEXT)
                yield f"  {title}: {where} [{change.rule.id}]"
                yield f"    - {before}"
                yield f"    + {after}"
            else:
                values = " → ".join(change.values(80))
                shown = f" ({values})" if values else ""
                yield f"  {title}: {where}: {change.rule.meaning}{shown} [{change.rule.id}]"
    yield from _remedies(check, is_measured=is_measured)


def _remedies(check: LockCheck, *, is_measured: bool) -> Iterator[str]:
    if check.lock.edited_tools:
        yield f"Write the file with `{ACCEPT}`, which takes the definitions from the server."
    elif of_verdict(check.changes, "breaking"):
        yield f"Calls, recordings or clients of the earlier version may fail. If that is meant: `{ACCEPT}`."
    elif is_measured and not check.must_be_accepted(is_measured=True):
        yield "This run measures the changed texts; `mcpbench lock --accept` adds them to the file afterwards."
    elif of_verdict(check.changes, "measure"):
        yield (
            "Agents read another text now. Measure its effect with `pytest --model=… --mcpbench-baseline=git:REF`, "
            f"or accept it with `{ACCEPT}`."
        )
    elif check.changes:
        yield "Compatible changes pass; `mcpbench lock` adds them to the file."
