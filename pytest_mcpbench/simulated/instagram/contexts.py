"""Conversion of MCP-Persona's Instagram contexts, in which nested fields have dotted names, to an account."""

from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.simulated.engine.public_contexts import find_accounts, objects

Fields = dict[str, Any]


def convert_contexts(tree: Fields) -> Fields:
    """Return the account of the first context; a tree in the server's own form is returned unchanged.

    The account may write to anybody at any time, because the messages are older than the clock of the tasks.
    """
    accounts = find_accounts(tree, ("username", "media", "conversations"))
    if not accounts or _is_own_form(accounts[0]):
        return tree
    (account, *_) = accounts
    profile = {name: value for name, value in account.items() if name not in ("media", "conversations", "media_count")}
    conversations = [_conversation(each, account) for each in objects(account["conversations"])]
    return {
        **profile,
        "has_reply_window": False,
        "media": {each["id"]: _post(each) for each in objects(account["media"])},
        "conversations": {each["id"]: each for each in conversations},
    }


def _is_own_form(account: Fields) -> bool:
    """Return whether people are objects, as in the server's own trees, and the tree is one account."""
    people = [person for each in objects(account["conversations"]) for person in each.get("participants", ())]
    comments = [comment for post in objects(account["media"]) for comment in objects(post.get("comments"))]
    return all(isinstance(each, Mapping) for each in people) and all("from" in each for each in comments)


def _post(public: Fields) -> Fields:
    fields = {name: value for name, value in public.items() if name not in ("comments", "comments_count")}
    return {**fields, "comments": {each["id"]: _comment(each) for each in objects(public.get("comments"))}}


def _comment(public: Fields) -> Fields:
    author = {"id": public.get("from_user.id", ""), "username": public.get("from_user.username", "")}
    fields: Fields = {name: public[name] for name in ("id", "text", "timestamp", "like_count") if name in public}
    replies = {each["id"]: _comment(each) for each in objects(public.get("replies"))}
    return {**fields, "username": author["username"], "from": author, "hidden": False, "replies": replies}


def _conversation(public: Fields, account: Fields) -> Fields:
    messages = [_message(each) for each in objects(public.get("messages"))]
    named = {person["id"]: person for each in messages for person in (each["from"], *each["to"])}
    named[account["id"]] = {"id": account["id"], "username": account["username"]}
    people = [named.get(person, {"id": person, "username": ""}) for person in public.get("participants", ())]
    return {"id": public["id"], "participants": people, "messages": {each["id"]: each for each in messages}}


def _message(public: Fields) -> Fields:
    sender, receiver = (
        {"id": public.get(f"{side}.id", ""), "username": public.get(f"{side}.username", "")} for side in ("from", "to")
    )
    attachments = {"attachments": public["attachments"]} if public.get("attachments") else {}
    return {
        "id": public["id"],
        "created_time": public.get("created_time", ""),
        "from": sender,
        "to": [receiver],
        "message": public.get("text") or "",
        **attachments,
    }
