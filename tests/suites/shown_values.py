"""Ids, addresses and paths in the arguments of calls that nothing has shown before."""

import re
from collections.abc import Iterator
from typing import Any

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.task import Task

_ID = re.compile(
    r"(?:.*_)?ids?|.*I[dD]s?|uid|channel|users?|user_id_list|article|ndc|pmid|ts_code|thread_ts|timestamp|inReplyTo"
    r"|xsec_token|username|mentioned_(?:mobile_)?list|url"
)
"""Names of arguments that hold ids; the id of a message in Slack is its time."""
_PATH = re.compile(r"filepaths?|file_path|dirpath|path")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_EVERYWHERE = frozenset({"STARRED", "UNREAD", "@all"})
"""Ids that every account of an app has."""


def unshown_values(task: Task, evidence: AttemptEvidence) -> Iterator[str]:
    """Yield each call and argument with a value that neither the request, the facts nor an earlier result shows."""
    shown = "\n".join((task.prompt, *(f"{label}: {fact}" for label, fact in task.context.necessary.items())))
    new = frozenset(each.entity for each in task.expected.exec if each.entity and each.operation == "create")
    for number, call in enumerate(evidence.calls, 1):
        for keys, value in _leaves(call.arguments):
            if not _is_shown(keys, str(value), shown, new):
                yield f"{task.id}, call {number} ({call.called}): {'.'.join(keys)} = {value}"
        shown += f"\n{call.result.text if call.result else ''}"


def _is_shown(keys: tuple[str, ...], text: str, shown: str, new: frozenset[str]) -> bool:
    if _PATH.fullmatch(keys[-1]):
        return _has(shown, text) or _has_path(shown, text, is_new=text in new)
    # A time inside of an object is that of an event.
    if _ID.fullmatch(keys[-1]) and (keys[-1] != "timestamp" or len(keys) == 1):
        return text in _EVERYWHERE or all(_has(shown, each) for each in text.split(","))
    return all(_has(shown, each) or _has_address(shown, each) for each in _ADDRESS.findall(text))


def _has(shown: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", shown, re.IGNORECASE) is not None


def _has_path(shown: str, path: str, *, is_new: bool) -> bool:
    """Return whether a directory and a name in it are shown; the name of a new file needs no suffix."""
    directory, _, name = path.rpartition("/")
    return _has(shown, directory) and _has(shown, name.rpartition(".")[0] if is_new else name)


def _has_address(shown: str, address: str) -> bool:
    """Return whether an address follows from a name and from the rule for all addresses of a company."""
    name, _, domain = address.partition("@")
    return _has(shown, f"given.family@{domain}") and all(_has(shown, part) for part in name.split("."))


def _leaves(value: Any, keys: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str | int]]:
    """Yield the texts and whole numbers of a value, each with the names of the arguments that lead to it."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _leaves(part, (*keys, key))
    elif isinstance(value, list):
        for part in value:
            yield from _leaves(part, keys)
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield keys, value
