"""Conversion of MCP-Persona's Slack contexts, one for each member, to a workspace as the first of them sees it."""

import re
from collections.abc import Iterable, Iterator, Mapping
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
    return {
        "user_id": accounts[0]["my_user_id"],
        "users": _users(accounts, channels),
        "channels": channels,
        "files": {each["id"]: each for each in files},
        "reminders": {each["id"]: each for each in reminders},
    }


def _public_channels(account: Mapping[str, Any]) -> Iterator[Fields]:
    for name in _CHANNEL_MAPS:
        for channel in objects(account.get(name)):
            yield {"files": {}, "messages": {}, **channel}


def _channel(public: Fields, owner: str) -> Fields:
    messages = {each["ts"]: _message(each) for each in objects(public["messages"])}
    is_direct = bool(public.get("is_im"))
    text = public.get("description") or ""
    names = {"user": public.get("user")} if is_direct else {"name": public.get("channel_name", "")}
    partner = [public["user"]] if is_direct and public.get("user") else []
    return {
        "id": public["id"],
        **names,
        "is_im": is_direct,
        "is_mpim": False,
        "is_private": is_direct,
        "is_archived": bool(public.get("is_archived")),
        "topic": {"value": text},
        "purpose": {"value": text},
        "members": list(dict.fromkeys((owner, *partner, *_people(messages.values())))),
        "messages": messages,
    }


def _message(public: Fields) -> Fields:
    kept = {name: public[name] for name in ("type", "ts", "user", "text", "thread_ts", "subtype") if public.get(name)}
    counts = public.get("reactions")
    if isinstance(counts, Mapping):
        kept["reactions"] = [{"name": name, "users": [], "count": count} for name, count in counts.items()]
    return {"user": "", "text": "", **kept}


def _people(messages: Iterable[Fields]) -> Iterator[str]:
    """Yield the ids of the authors, and of the people of whom a message says that they joined."""
    for message in messages:
        joined = _MENTION.findall(message["text"]) if message.get("subtype") == "channel_join" else []
        yield from (each for each in (message["user"], *joined) if each)


def _users(accounts: Iterable[Fields], channels: Mapping[str, Fields]) -> dict[str, Fields]:
    """Return the owners of the contexts, and the other members of channels, of whom only the ids are known."""
    others = (member for channel in channels.values() for member in channel["members"])
    return {
        **{member: _user({"my_user_id": member}) for member in others},
        **{account["my_user_id"]: _user(account) for account in accounts},
    }


def _user(account: Fields) -> Fields:
    member = account["my_user_id"]
    name, real_name = account.get("my_user_name", member), account.get("my_user_real_name", "")
    profile = {"real_name": real_name, "display_name": name, "email": account.get("my_user_email", "")}
    team = {"team_id": account["team_id"]} if account.get("team_id") else {}
    flags = {"deleted": False, "is_bot": False, "is_restricted": False, "tz": "Asia/Shanghai"}
    return {"id": member, **team, "name": name, "real_name": real_name, "profile": profile, **flags}
