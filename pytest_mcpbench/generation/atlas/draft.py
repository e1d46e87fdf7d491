"""A task before it is written down, and the calls that tasks are made of."""

from dataclasses import dataclass
from typing import Any

Arguments = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """One reference call, under the name that the agent sees."""

    tool: str
    arguments: Arguments


@dataclass(frozen=True)
class Draft:
    """What is asked, how it can be found out, and what a good answer says."""

    prompt: str
    steps: tuple[Step, ...]
    claims: tuple[str, ...]
    is_conditional: bool = False
    """Whether what is to be done depends on what is found."""


class GenerationError(ValueError):
    """The data do not say what a task relies on."""


def draft(prompt: str, steps: list[Step], claims: list[str], *, conditional: bool = False) -> Draft:
    """A draft of lists."""
    return Draft(prompt, tuple(steps), tuple(claims), conditional)


def sql(query: str) -> Step:
    """A query to the books."""
    return Step("database_read_query", {"query": query})


def calculate(expression: str) -> Step:
    """A sum on the calculator."""
    return Step("calculator_calculate", {"expression": expression})


def read_files(*paths: str) -> Step:
    """One file of ``/data``, or several at once."""
    full = [f"/data/{path}" for path in paths]
    if len(full) == 1:
        return Step("filesystem_read_text_file", {"path": full[0]})
    return Step("filesystem_read_multiple_files", {"paths": full})


def list_folder(path: str) -> Step:
    """The names in a folder."""
    return Step("filesystem_list_directory", {"path": f"/data/{path}".rstrip("/")})


def search_pages(query: str) -> Step:
    """Pages by their words."""
    return Step("documents_search_pages", {"query": query})


def read_page(page_id: str) -> Step:
    """A page."""
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
    """The names of the bases."""
    return Step("documents_list_bases", {})


def list_tables(base: str) -> Step:
    """The tables of a base."""
    return Step("documents_list_tables", {"baseId": BASES[base]})


def list_records(table: str, formula: str | None = None) -> Step:
    """Records of a table."""
    return Step("documents_list_records", _location(table) | ({"filterByFormula": formula} if formula else {}))


def search_records(table: str, term: str) -> Step:
    """Records with a text in them."""
    return Step("documents_search_records", _location(table) | {"searchTerm": term})


def get_record(table: str, record_id: str) -> Step:
    """One record."""
    return Step("documents_get_record", _location(table) | {"recordId": record_id})


def create_record(table: str, **fields: Any) -> Step:
    """A record more."""
    return Step("documents_create_record", _location(table) | {"fields": fields})


def update_record(table: str, record_id: str, fields: Arguments) -> Step:
    """Other values in a record."""
    return Step("documents_update_records", _location(table) | {"records": [{"id": record_id, "fields": fields}]})


def _location(table: str) -> Arguments:
    return {"baseId": BASES[_TABLES[table]], "tableId": table}


def search_nodes(query: str) -> Step:
    """What the knowledge graph has on a text."""
    return Step("memory_search_nodes", {"query": query})


def open_nodes(*names: str) -> Step:
    """Entities of the knowledge graph."""
    return Step("memory_open_nodes", {"names": list(names)})


def search_messages(words: str | None = None, *, channel: str | None = None, sender: str | None = None) -> Step:
    """Messages by their words, channel or writer."""
    arguments = {"search_query": words, "filter_in_channel": channel, "filter_users_from": sender}
    return Step("messages_conversations_search_messages", {key: value for key, value in arguments.items() if value})


def channel_history(channel: str, limit: str = "3w") -> Step:
    """The latest messages of a channel."""
    return Step("messages_conversations_history", {"channel_id": channel, "limit": limit})


def read_thread(channel: str, ts: str) -> Step:
    """A thread."""
    return Step("messages_conversations_replies", {"channel_id": channel, "thread_ts": ts})


def post_message(channel: str, text: str) -> Step:
    """A message more."""
    return Step("messages_conversations_add_message", {"channel_id": channel, "text": text})


def list_events(first: str, last: str) -> Step:
    """The calendar from one day to another."""
    return Step("calendar_list_events", {"start_date": f"{first}T00:00:00", "end_date": f"{last}T23:59:59"})


def git_log(repository: str) -> Step:
    """The latest commits."""
    return Step("git_git_log", {"repo_path": f"repos/{repository}", "max_count": 20})


def git_show(repository: str, revision: str) -> Step:
    """One commit."""
    return Step("git_git_show", {"repo_path": f"repos/{repository}", "revision": revision})


def git_branches(repository: str) -> Step:
    """The branches."""
    return Step("git_git_branch", {"repo_path": f"repos/{repository}", "branch_type": "all"})
