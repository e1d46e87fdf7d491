"""People whom MCP-Persona's Lark contexts mention, as entries of the company's directory."""

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_mcpbench.simulated.engine.public_contexts import find_accounts, objects

Fields = dict[str, Any]


def add_known_people(tree: Fields) -> Fields:
    """Return the accounts, the first of which knows the members, attendees and authors of all of them.

    The contexts have no directory, but their users write to colleagues by the ids in their chats and events.
    """
    accounts = find_accounts(tree, ("user_id",))
    if not accounts or any("users" in account for account in accounts):
        return tree
    owners = {owner for account in accounts for owner in (account["user_id"], account.get("open_id"))}
    people = {person["user_id"]: person for account in accounts for person in _people(account)}
    users = {user_id: person for user_id, person in people.items() if user_id not in owners}
    if "user_id" in tree:
        return {**tree, "users": users}
    first = next(iter(tree))
    return {**tree, first: {**tree[first], "users": users}}


def _people(account: Mapping[str, Any]) -> Iterator[Fields]:
    chats, calendars = objects(account.get("chats")), objects(account.get("calendars"))
    for open_id in (message.get("sender.id") for chat in chats for message in objects(chat.get("messages"))):
        if str(open_id).startswith("ou_"):
            yield {"user_id": open_id, "open_id": open_id, "name": ""}
    for member in (member for chat in chats for member in objects(chat.get("members"))):
        yield {"user_id": member["member_id"], "name": member.get("name", "")}
    events = (event for calendar in calendars for event in objects(calendar.get("events")))
    for attendee in (attendee for event in events for attendee in objects(event.get("attendees"))):
        if attendee.get("user_id"):
            yield {"user_id": attendee["user_id"], "name": attendee.get("name", "")}
