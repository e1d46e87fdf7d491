"""Actions in Slack: channels, direct messages, reactions, reminders and files."""

from datetime import datetime
from functools import cache
from typing import Any

from pytest_mcpbench.generation.persona.apps.lark import timestamp
from pytest_mcpbench.generation.persona.request import Action, Fact, change, lookup
from pytest_mcpbench.simulated.cast import CAST
from pytest_mcpbench.simulated.slack.seed import seed

SERVER = "slack"


def find_member(key: str, *values: Any) -> Action:
    """Find a member by name."""
    who = CAST.person(key)
    return lookup(SERVER, "find_users", {"search_query": who.name}, f"find {who.name}", *values)


def find_channels(query: str, *values: Any) -> Action:
    """Find channels."""
    return lookup(SERVER, "find_channels", {"search_query": query}, f"find the channel '{query}'", *values)


def read_messages(place: str, *values: Any) -> Action:
    """Read a channel by name, or the direct messages with a person."""
    arguments = {"channel": _place(place)["id"], "limit": 100}
    return lookup(SERVER, "fetch_conversation_history", arguments, f"read {_title(place)}", *values)


def send_message(place: str, text: str, *facts: Fact, thread: str = "") -> Action:
    """Post to a channel or a person. ``thread`` is the text of the message to reply to."""
    known = _places().get(place)
    fields: dict[str, Any]
    more = {"thread_ts": message_timestamp(place, thread)} if thread else {}
    if known:
        target, collection, fields = known["id"], f"channels[{known['id']}].messages", dict(more)
    else:
        target = CAST.person(place).slack_id
        collection, fields = "channels", {"is_im": True, "user": target}
    arguments = {"channel": target, "text": text, **more}
    purpose = f"write to {_title(place)}"
    return change("create", SERVER, "send_message", arguments, purpose, *facts, collection=collection, fields=fields)


def open_direct_messages(key: str) -> Action:
    """Open the existing direct messages with a person."""
    who = CAST.person(key)
    return lookup(SERVER, "open_dm", {"users": who.slack_id}, f"open the direct messages with {who.name}")


def open_group_conversation(*keys: str) -> Action:
    """Open a conversation with several people."""
    people = CAST.persons(keys)
    expected = [each.slack_id for each in people]
    return change(
        "create",
        SERVER,
        "open_dm",
        {"users": ",".join(expected)},
        f"open a conversation with {' and '.join(each.name for each in people)}",
        *expected,
        collection="channels",
        fields={"is_mpim": True},
    )


def react(place: str, message: str, emoji: str) -> Action:
    """Add an emoji reaction to the message that contains a text."""
    where, stamp = _place(place)["id"], message_timestamp(place, message)
    return change(
        "modify",
        SERVER,
        "add_reaction_to_an_item",
        {"channel": where, "name": emoji, "timestamp": stamp},
        f"add :{emoji}: to the message",
        emoji,
        CAST.me.slack_id,
        collection=f"channels[{where}].messages",
        entity=stamp,
    )


def add_reminder(text: str, when: str, *facts: Fact, who: str = "") -> Action:
    """Set a reminder for a local time."""
    due = timestamp(when)
    person = CAST.person(who) if who else CAST.me
    more = {"user": person.slack_id} if who else {}
    return change(
        "create",
        SERVER,
        "create_a_reminder",
        {"text": text, "time": str(due), **more},
        f"set a reminder for {datetime.fromisoformat(when):%d %B, %H:%M}",
        *facts,
        collection="reminders",
        fields={"time": due, "user": person.slack_id},
    )


def list_reminders(*values: Any) -> Action:
    """List the reminders."""
    return lookup(SERVER, "list_reminders", {}, "list the reminders", *values)


def list_files(project: str, *values: Any, **filters: str) -> Action:
    """List files. The status file of the project must be among them."""
    expected = {"id": status_file(project)["id"]}
    return lookup(SERVER, "list_files_with_filters_in_slack", filters, "find the file", expected, *values)


def status_file(project: str) -> dict[str, Any]:
    """Return the status file of a project."""
    (expected,) = [each for each in seed()["files"].values() if each["name"].startswith(f"{project}-")]
    return dict(expected)


def message_timestamp(place: str, text: str) -> str:
    """Return the timestamp of the only message in a channel or chat that contains a text."""
    (stamp,) = [key for key, each in _place(place)["messages"].items() if text in each["text"]]
    return str(stamp)


@cache
def _places() -> dict[str, dict[str, Any]]:
    """Return channels by name and direct messages by the person's key."""
    keys = {each.slack_id: each.key for each in CAST.people}
    return {each.get("name") or keys[each["user"]]: each for each in seed()["channels"].values()}


def _place(place: str) -> dict[str, Any]:
    return _places()[place]


def _title(place: str) -> str:
    return f"#{place}" if "name" in _places().get(place, {}) else CAST.person(place).name
