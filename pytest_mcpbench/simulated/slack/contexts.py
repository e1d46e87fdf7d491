"""Conversion of MCP-Persona's Slack contexts, one for each member, to a workspace as the first of them sees it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_mcpbench.simulated.engine.public_contexts import find_accounts, objects

_MENTION = re.compile(r"<@(\w+)>")
_CHANNEL_MAPS = ("group_channels", "dm_channels")

Fields = dict[str, Any]


def convert_contexts(tree: Fields) -> Fields:
    """Return the workspace; a tree in the server's own form is returned unchanged."""
    accounts = find_accounts(tree, ("my_user_id",))
    if not accounts:
        return tree
    # Several copies of one channel share their messages and members.
    channels: dict[str, Fields] = {}
    for account in accounts:
        for public in _public_channels(account):
            channel = _channel(public, account["my_user_id"])
            known = channels.setdefault(channel["id"], channel)
            known["messages"] = {**known["messages"], **channel["messages"]}
            known["members"] = list(dict.fromkeys((*known["members"], *channel["members"])))
    files = [
        file for account in accounts for channel in _public_channels(account) for file in objects(channel["files"])
    ]
    reminders = [
        each
        for account in accounts
        for name in ("create", "receive")
        for each in objects(account.get(f"reminders_{name}"))
    ]
    # Only the ids are known of the members who are not an owner of a context.
    members = (member for channel in channels.values() for member in channel["members"])
    return {
        "user_id": accounts[0]["my_user_id"],
        "users": {
            **{member: _user({"my_user_id": member}) for member in members},
            **{account["my_user_id"]: _user(account) for account in accounts},
        },
        "channels": channels,
        "files": {each["id"]: each for each in files},
        "reminders": {each["id"]: each for each in reminders},
    }


def _public_channels(account: Mapping[str, Any]) -> Iterator[Fields]:
    for name in _CHANNEL_MAPS:
        for channel in objects(account.get(name)):
            yield {"files": {}, "messages": {}, **channel}


def _channel(public: Fields, owner: str) -> Fields:
    messages: dict[str, Fields] = {}
    names = ("type", "ts", "user", "text", "thread_ts", "subtype")
    for each in objects(public["messages"]):
        message: Fields = {"user": "", "text": "", **{name: each[name] for name in names if each.get(name)}}
        counts = each.get("reactions")
        if isinstance(counts, Mapping):
            message["reactions"] = [{"name": name, "users": [], "count": count} for name, count in counts.items()]
        messages[each["ts"]] = message
    is_direct = bool(public.get("is_im"))
    text = public.get("description") or ""
    identity = {"user": public.get("user")} if is_direct else {"name": public.get("channel_name", "")}
    members = [owner, *([public["user"]] if is_direct and public.get("user") else [])]
    for message in messages.values():
        # A message about somebody who joined mentions that person.
        joined = _MENTION.findall(message["text"]) if message.get("subtype") == "channel_join" else []
        members += (each for each in (message["user"], *joined) if each)
    return {
        "id": public["id"],
        **identity,
        "is_im": is_direct,
        "is_mpim": False,
        "is_private": is_direct,
        "is_archived": bool(public.get("is_archived")),
        "topic": {"value": text},
        "purpose": {"value": text},
        "members": list(dict.fromkeys(members)),
        "messages": messages,
    }


def _user(account: Fields) -> Fields:
    member = account["my_user_id"]
    name, real_name = account.get("my_user_name", member), account.get("my_user_real_name", "")
    profile = {"real_name": real_name, "display_name": name, "email": account.get("my_user_email", "")}
    team = {"team_id": account["team_id"]} if account.get("team_id") else {}
    flags = {"deleted": False, "is_bot": False, "is_restricted": False, "tz": "Asia/Shanghai"}
    return {"id": member, **team, "name": name, "real_name": real_name, "profile": profile, **flags}
