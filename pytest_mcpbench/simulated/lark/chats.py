"""The account's chats: who is in them, and what was said."""

import json
from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import Entities, ToolFailure
from pytest_mcpbench.simulated.lark.account import OPEN_ID, Account, Fields
from pytest_mcpbench.simulated.lark.fields import flat, nested
from pytest_mcpbench.simulated.lark.listing import END_OF_TIME, listed, seconds

_NO_CHAT = "232006 Your request specifies a chat_id which is invalid."
_BAD_CHAT = "232001 Your request contains an invalid request parameter."
_OUTSIDE = "232011 Operator can NOT be out of the chat."
_BAD_MESSAGE = "230001 Your request contains an invalid request parameter."
_OUTSIDE_MESSAGES = "230002 Bot/User can NOT be out of the chat."

_MILLISECONDS_FROM = 10**12
_SHORTEST_PUBLIC_NAME = 2
_OF_TENANT: Mapping[str, Any] = {"tenant_key": "2ed263bf32cf1651"}
_OF_CHAT: Mapping[str, Any] = {
    "avatar": "https://s1-imfile.feishucdn.com/static-resource/v1/default-avatar.png",
    "name": "",
    "description": "",
    "chat_mode": "group",
    "chat_type": "private",
    "chat_tag": "inner",
    "external": False,
    "chat_status": "normal",
    "edit_permission": "all_members",
    "membership_approval": "no_approval_required",
}
_LISTED = ("avatar", "name", "description", "owner_id", "owner_id_type", "external", "tenant_key", "chat_status")
_WHOLE = (*_LISTED, *_OF_CHAT, "user_count", "bot_count")
_MESSAGE_TYPES = (
    *("text", "post", "image", "file", "audio", "media", "sticker"),
    *("interactive", "share_chat", "share_user", "system"),
)


class Chats:
    """Each method is a request and gives the ``data`` of its answer."""

    def __init__(self, world: World, account: Account) -> None:
        self._world = world
        self._account = account
        self._chats = account.entities("chats", _NO_CHAT)
        self._made: dict[str, str] = {}

    def all(self, params: dict[str, Any]) -> dict[str, Any]:
        """The groups to which the account belongs."""
        mine = [each for each in self._chats.all() if self._is_member(each) and each.get("chat_mode") != "p2p"]
        if params.get("sort_type") == "ByActiveTimeDesc":
            mine.sort(key=_last_active, reverse=True)
        id_type = params.get("user_id_type", OPEN_ID)
        shown = [{"chat_id": each["chat_id"], **self._shown(each, id_type, _LISTED)} for each in mine]
        return listed("items", shown, params, 20, _BAD_CHAT)

    def chat(self, chat_id: str, id_type: str) -> dict[str, Any]:
        """What there is to know about a chat."""
        return self._shown(self._own(chat_id, _OUTSIDE), id_type, _WHOLE)

    def members(self, chat_id: str, params: dict[str, Any]) -> dict[str, Any]:
        """The people in a chat."""
        members = self._own(chat_id, _OUTSIDE).get("members", {})
        id_type = params.get("member_id_type", OPEN_ID)
        shown = [
            {"member_id_type": id_type, "member_id": self._account.named(key, id_type), "name": each["name"]}
            for key, each in members.items()
        ]
        return listed("items", [{**each, **_OF_TENANT} for each in shown], params, 20, _BAD_CHAT) | {
            "member_total": len(shown)
        }

    def create(self, fields: Fields, id_type: str) -> dict[str, Any]:
        """A new group of which the account is a member, and the owner where no other is named."""
        if fields.get("chat_type") == "public" and len(fields.get("name", "")) < _SHORTEST_PUBLIC_NAME:
            raise ToolFailure(_BAD_CHAT)
        me = self._account.me
        owner = self._account.user(fields["owner_id"], id_type) if fields.get("owner_id") else me
        invited = [self._account.user(each, id_type) for each in fields.get("user_id_list", ())]
        settings = {name: value for name, value in fields.items() if name not in ("owner_id", "user_id_list")}
        chat = self._new([owner, me, *invited], {"name": "", **flat(settings)})
        return {"chat_id": chat["chat_id"], **self._shown(chat, id_type, _WHOLE)}

    def send(self, fields: Fields, id_type: str) -> dict[str, Any]:
        """Send a message to a chat or a person; one with the ``uuid`` of an earlier one is not sent again."""
        if fields["msg_type"] not in _MESSAGE_TYPES or not _is_content(fields["msg_type"], fields["content"]):
            raise ToolFailure(_BAD_MESSAGE)
        chat_id = self._chat_with(fields["receive_id"], id_type)["chat_id"]
        messages = self._messages(chat_id)
        made = self._made.get(f"{chat_id} {fields['uuid']}") if "uuid" in fields else None
        message_id = made or messages.create(self._message(fields))["message_id"]
        self._made[f"{chat_id} {fields.get('uuid')}"] = message_id
        return _shown_message(chat_id, messages.get(message_id))

    def messages(self, params: dict[str, Any]) -> dict[str, Any]:
        """The messages of a chat in a range of seconds, the oldest first unless told otherwise."""
        if params["container_id_type"] != "chat":
            raise ToolFailure(_BAD_MESSAGE)
        chat_id = self._own(params["container_id"], _OUTSIDE_MESSAGES)["chat_id"]
        begin = seconds(params.get("start_time", "0"), _BAD_MESSAGE)
        end = seconds(params.get("end_time", END_OF_TIME), _BAD_MESSAGE)
        found = [each for each in self._messages(chat_id).all() if begin <= _sent(each) <= end]
        found.sort(key=_sent, reverse=params.get("sort_type") == "ByCreateTimeDesc")
        return listed("items", [_shown_message(chat_id, each) for each in found], params, 20, _BAD_MESSAGE)

    def _own(self, chat_id: str, refusal: str) -> dict[str, Any]:
        chat = self._chats.get(chat_id)
        if not self._is_member(chat):
            raise ToolFailure(refusal)
        return chat

    def _is_member(self, chat: Fields) -> bool:
        me = self._account.me
        return me["user_id"] in chat.get("members", {}) or chat.get("owner_id") == me[OPEN_ID]

    def _messages(self, chat_id: str) -> Entities:
        return self._chats.inside(chat_id, "messages", _BAD_MESSAGE)

    def _shown(self, chat: Fields, id_type: str, names: tuple[str, ...]) -> dict[str, Any]:
        owner = {"owner_id": self._account.named(str(chat.get("owner_id", "")), id_type), "owner_id_type": id_type}
        counts = {"user_count": str(chat.get("user_count", len(chat.get("members", {})))), "bot_count": "0"}
        whole = {**_OF_CHAT, **nested(chat), **owner, **counts, **_OF_TENANT}
        return {name: whole[name] for name in names}

    def _chat_with(self, receiver: str, id_type: str) -> dict[str, Any]:
        """The chat with the id, or the one with a person, which begins with its first message."""
        if id_type == "chat_id":
            return self._own(receiver, _OUTSIDE_MESSAGES)
        me, person = self._account.me, self._account.user(receiver, id_type)
        pair = {me["user_id"], person["user_id"]}
        private = (each for each in self._chats.all({"chat_mode": "p2p"}) if set(each["members"]) == pair)
        return next(private, None) or self._new([me, person], {"name": "", "chat_mode": "p2p"})

    def _new(self, people: list[Fields], settings: Fields) -> dict[str, Any]:
        """A chat whose owner is the first of its people."""
        owner = people[0]
        members = {each["user_id"]: _member(each, is_owner=each["user_id"] == owner["user_id"]) for each in people}
        return self._chats.create(
            {
                "chat_id": "oc_" + self._world.ids.hex(32),
                "chat_mode": "group",
                "chat_type": "private",
                **settings,
                "owner_id": owner[OPEN_ID],
                "user_count": len(members),
                "members": members,
                "messages": {},
            }
        )

    def _message(self, fields: Fields) -> dict[str, Any]:
        return {
            "message_id": "om_" + self._world.ids.hex(32),
            "msg_type": fields["msg_type"],
            "sender.id": self._account.me[OPEN_ID],
            "sender.sender_type": "user",
            "body.content": fields["content"],
            "create_time": str(int(self._world.now.timestamp() * 1000)),
        }


def _member(user: Fields, *, is_owner: bool) -> dict[str, Any]:
    return {"member_id": user["user_id"], "name": user["name"], "is_owner": is_owner}


def _sent(message: Fields) -> int:
    """Seconds; Lark writes milliseconds, MCP-Persona's contexts seconds."""
    time = int(message["create_time"])
    return time // 1000 if time >= _MILLISECONDS_FROM else time


def _last_active(chat: Fields) -> int:
    return max((_sent(each) for each in chat.get("messages", {}).values()), default=0)


def _is_content(kind: str, content: str) -> bool:
    """Whether the content of a message is an object, and that of a text a text."""
    try:
        body = json.loads(content)
    except ValueError:
        return False
    return isinstance(body, dict) and (kind != "text" or isinstance(body.get("text"), str))


def _shown_message(chat_id: str, message: Fields) -> dict[str, Any]:
    shown = nested(message)
    sender = {"id_type": OPEN_ID, **shown.pop("sender", {}), **_OF_TENANT}
    unchanged = {"update_time": message["create_time"], "deleted": False, "updated": False}
    return {**shown, **unchanged, "chat_id": chat_id, "sender": sender}
