"""Drafts of tasks, and constructors for the reference calls that they consist of."""

from dataclasses import dataclass
from typing import Any

Arguments = dict[str, Any]

DERIVED = "<derived>"
"""An argument that only the task's derivation knows, such as the hash of a commit."""


@dataclass(frozen=True)
class Step:
    """One reference call. The tool name is the one that the agent sees."""

    tool: str
    arguments: Arguments


@dataclass(frozen=True)
class Draft:
    """A task before it is written to a file: the prompt, the reference calls, and the claims of a good answer."""

    prompt: str
    steps: tuple[Step, ...]
    claims: tuple[str, ...]
    is_conditional: bool = False
    """True if the action that the task requires depends on what the agent finds."""


class GenerationError(ValueError):
    """Error for data behind the servers that do not contain what a task relies on."""


def draft(prompt: str, steps: list[Step], claims: list[str], *, conditional: bool = False) -> Draft:
    """Return a draft from lists of steps and claims."""
    return Draft(prompt, tuple(steps), tuple(claims), conditional)


def sql(query: str) -> Step:
    """Return a call that queries the accounts database."""
    return Step("database_read_query", {"query": query})


def calculate(expression: str) -> Step:
    """Return a call that evaluates an expression on the calculator."""
    return Step("calculator_calculate", {"expression": expression})


def read_files(*paths: str) -> Step:
    """Return a call that reads one or several files of ``/data``."""
    full = [f"/data/{path}" for path in paths]
    if len(full) == 1:
        return Step("filesystem_read_text_file", {"path": full[0]})
    return Step("filesystem_read_multiple_files", {"paths": full})


def list_folder(path: str) -> Step:
    """Return a call that lists a folder of ``/data``."""
    return Step("filesystem_list_directory", {"path": f"/data/{path}".rstrip("/")})


def search_pages(query: str) -> Step:
    """Return a call that searches pages by words."""
    return Step("documents_search_pages", {"query": query})


def read_page(page_id: str) -> Step:
    """Return a call that reads a page."""
    return Step("documents_read_page", {"pageId": page_id})


BASES = {
    "loans": "appLnt4Q8wZr1Kxa",
    "materials": "appMat7Tq2LbY9oe",
    "tracker": "appTrk1Hs6MvD3uc",
    "machines": "appEqp5Jn8RcW2ky",
}
_TABLES = {
    "Objects": "loans",
    "Materials": "materials",
    "Milestones": "tracker",
    "Risks": "tracker",
    "Machines": "machines",
}


def list_bases() -> Step:
    """Return a call that lists the bases of the document store."""
    return Step("documents_list_bases", {})


def list_tables(base: str) -> Step:
    """Return a call that lists the tables of a base."""
    return Step("documents_list_tables", {"baseId": BASES[base]})


def list_records(table: str, formula: str | None = None) -> Step:
    """Return a call that lists the records of a table, filtered by a formula if there is one."""
    return Step("documents_list_records", _location(table) | ({"filterByFormula": formula} if formula else {}))


def search_records(table: str, term: str) -> Step:
    """Return a call that finds the records of a table that contain a term."""
    return Step("documents_search_records", _location(table) | {"searchTerm": term})


def get_record(table: str, record_id: str) -> Step:
    """Return a call that reads one record."""
    return Step("documents_get_record", _location(table) | {"recordId": record_id})


def create_record(table: str, **fields: Any) -> Step:
    """Return a call that adds a record to a table."""
    return Step("documents_create_record", _location(table) | {"fields": fields})


def update_record(table: str, record_id: str, fields: Arguments) -> Step:
    """Return a call that changes fields of a record."""
    return Step("documents_update_records", _location(table) | {"records": [{"id": record_id, "fields": fields}]})


def _location(table: str) -> Arguments:
    return {"baseId": BASES[_TABLES[table]], "tableId": table}


def search_nodes(query: str) -> Step:
    """Return a call that searches the knowledge graph."""
    return Step("memory_search_nodes", {"query": query})


def open_nodes(*names: str) -> Step:
    """Return a call that reads entities of the knowledge graph by name."""
    return Step("memory_open_nodes", {"names": list(names)})


def search_messages(words: str | None = None, *, channel: str | None = None, sender: str | None = None) -> Step:
    """Return a call that searches chat messages by words, channel or sender."""
    arguments = {"search_query": words, "filter_in_channel": channel, "filter_users_from": sender}
    return Step("messages_conversations_search_messages", {key: value for key, value in arguments.items() if value})


def channel_history(channel: str, limit: str = "3w") -> Step:
    """Return a call that reads the latest messages of a channel."""
    return Step("messages_conversations_history", {"channel_id": channel, "limit": limit})


def read_thread(channel: str, ts: str) -> Step:
    """Return a call that reads a thread of a channel."""
    return Step("messages_conversations_replies", {"channel_id": channel, "thread_ts": ts})


def post_message(channel: str, text: str) -> Step:
    """Return a call that posts a message to a channel."""
    return Step("messages_conversations_add_message", {"channel_id": channel, "text": text})


def list_events(first: str, last: str) -> Step:
    """Return a call that lists the calendar events of a range of days."""
    return Step("calendar_list_events", {"start_date": f"{first}T00:00:00", "end_date": f"{last}T23:59:59"})


def git_log(repository: str) -> Step:
    """Return a call that lists the latest commits of a repository."""
    return Step("git_git_log", {"repo_path": f"repos/{repository}", "max_count": 20})


def git_show(repository: str, revision: str) -> Step:
    """Return a call that shows one commit."""
    return Step("git_git_show", {"repo_path": f"repos/{repository}", "revision": revision})


def git_branches(repository: str) -> Step:
    """Return a call that lists the branches of a repository."""
    return Step("git_git_branch", {"repo_path": f"repos/{repository}", "branch_type": "all"})
