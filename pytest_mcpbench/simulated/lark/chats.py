"""Chats of the account: their members and messages."""

import json
from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import Entities, ToolFailure
from pytest_mcpbench.simulated.lark.account import OPEN_ID, Account, Fields
from pytest_mcpbench.simulated.lark.fields import flatten, nest
from pytest_mcpbench.simulated.lark.listing import END_OF_TIME, paginate, parse_seconds

_UNKNOWN_CHAT = "232006 Your request specifies a chat_id which is invalid."
_INVALID_CHAT_REQUEST = "232001 Your request contains an invalid request parameter."
_NOT_A_MEMBER = "232011 Operator can NOT be out of the chat."
_INVALID_MESSAGE_REQUEST = "230001 Your request contains an invalid request parameter."
_NO_MESSAGE_ACCESS = "230002 Bot/User can NOT be out of the chat."

_MIN_MILLISECONDS = 10**12
_MIN_PUBLIC_NAME_LENGTH = 2
_TENANT_FIELDS: Mapping[str, Any] = {"tenant_key": "2ed263bf32cf1651"}
_CHAT_DEFAULTS: Mapping[str, Any] = {
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
_LIST_FIELDS = ("avatar", "name", "description", "owner_id", "owner_id_type", "external", "tenant_key", "chat_status")
_DETAIL_FIELDS = (*_LIST_FIELDS, *_CHAT_DEFAULTS, "user_count", "bot_count")
_MESSAGE_TYPES = (
    *("text", "post", "image", "file", "audio", "media", "sticker"),
    *("interactive", "share_chat", "share_user", "system"),
)


class Chats:
    """The account's chats; each method is a request and returns the ``data`` of its response."""

    def __init__(self, world: World, account: Account) -> None:
        self._world = world
        self._account = account
        self._chats = account.entities("chats", _UNKNOWN_CHAT)
        self._created_by_key: dict[str, str] = {}

    def all(self, params: dict[str, Any]) -> dict[str, Any]:
        """List the groups to which the account belongs."""
        own_chats = [each for each in self._chats.all() if self._is_member(each) and each.get("chat_mode") != "p2p"]
        if params.get("sort_type") == "ByActiveTimeDesc":
            own_chats.sort(key=_last_active, reverse=True)
        id_type = params.get("user_id_type", OPEN_ID)
        views = [{"chat_id": each["chat_id"], **self._chat_view(each, id_type, _LIST_FIELDS)} for each in own_chats]
        return paginate("items", views, params, 20, _INVALID_CHAT_REQUEST)

    def chat(self, chat_id: str, id_type: str) -> dict[str, Any]:
        """Return the details of a chat."""
        return self._chat_view(self._require_membership(chat_id, _NOT_A_MEMBER), id_type, _DETAIL_FIELDS)

    def members(self, chat_id: str, params: dict[str, Any]) -> dict[str, Any]:
        """List the members of a chat."""
        members = self._require_membership(chat_id, _NOT_A_MEMBER).get("members", {})
        id_type = params.get("member_id_type", OPEN_ID)
        views = [
            {"member_id_type": id_type, "member_id": self._account.convert_id(key, id_type), "name": each["name"]}
            for key, each in members.items()
        ]
        return paginate("items", [{**each, **_TENANT_FIELDS} for each in views], params, 20, _INVALID_CHAT_REQUEST) | {
            "member_total": len(views)
        }

    def create(self, fields: Fields, id_type: str) -> dict[str, Any]:
        """Create a group with the account as a member, and as its owner unless another owner is specified."""
        if fields.get("chat_type") == "public" and len(fields.get("name", "")) < _MIN_PUBLIC_NAME_LENGTH:
            raise ToolFailure(_INVALID_CHAT_REQUEST)
        me = self._account.me
        owner = self._account.user(fields["owner_id"], id_type) if fields.get("owner_id") else me
        invitees = [self._account.user(each, id_type) for each in fields.get("user_id_list", ())]
        settings = {name: value for name, value in fields.items() if name not in ("owner_id", "user_id_list")}
        chat = self._create_chat([owner, me, *invitees], {"name": "", **flatten(settings)})
        return {"chat_id": chat["chat_id"], **self._chat_view(chat, id_type, _DETAIL_FIELDS)}

    def send(self, fields: Fields, id_type: str) -> dict[str, Any]:
        """Send a message to a chat or a person; a request that repeats a ``uuid`` sends nothing."""
        if fields["msg_type"] not in _MESSAGE_TYPES or not _is_valid_content(fields["msg_type"], fields["content"]):
            raise ToolFailure(_INVALID_MESSAGE_REQUEST)
        receiver = fields["receive_id"]
        if id_type == "chat_id":
            chat_id = self._require_membership(receiver, _NO_MESSAGE_ACCESS)["chat_id"]
        else:
            me, person = self._account.me, self._account.user(receiver, id_type)
            pair = {me["user_id"], person["user_id"]}
            private = (each for each in self._chats.all({"chat_mode": "p2p"}) if set(each["members"]) == pair)
            chat = next(private, None) or self._create_chat([me, person], {"name": "", "chat_mode": "p2p"})
            chat_id = chat["chat_id"]
        messages = self._messages(chat_id)
        message_id = self._created_by_key.get(f"{chat_id} {fields['uuid']}") if "uuid" in fields else None
        if not message_id:
            message = {
                "message_id": "om_" + self._world.ids.hex(32),
                "msg_type": fields["msg_type"],
                "sender.id": self._account.me[OPEN_ID],
                "sender.sender_type": "user",
                "body.content": fields["content"],
                "create_time": str(int(self._world.now.timestamp() * 1000)),
            }
            message_id = messages.create(message)["message_id"]
        self._created_by_key[f"{chat_id} {fields.get('uuid')}"] = message_id
        return _message_view(chat_id, messages.get(message_id))

    def messages(self, params: dict[str, Any]) -> dict[str, Any]:
        """List the messages of a chat in a range in seconds, oldest first by default."""
        if params["container_id_type"] != "chat":
            raise ToolFailure(_INVALID_MESSAGE_REQUEST)
        chat_id = self._require_membership(params["container_id"], _NO_MESSAGE_ACCESS)["chat_id"]
        begin = parse_seconds(params.get("start_time", "0"), _INVALID_MESSAGE_REQUEST)
        end = parse_seconds(params.get("end_time", END_OF_TIME), _INVALID_MESSAGE_REQUEST)
        messages = [each for each in self._messages(chat_id).all() if begin <= _sent_seconds(each) <= end]
        messages.sort(key=_sent_seconds, reverse=params.get("sort_type") == "ByCreateTimeDesc")
        return paginate(
            "items", [_message_view(chat_id, each) for each in messages], params, 20, _INVALID_MESSAGE_REQUEST
        )

    def _require_membership(self, chat_id: str, refusal: str) -> dict[str, Any]:
        chat = self._chats.get(chat_id)
        if not self._is_member(chat):
            raise ToolFailure(refusal)
        return chat

    def _is_member(self, chat: Fields) -> bool:
        me = self._account.me
        return me["user_id"] in chat.get("members", {}) or chat.get("owner_id") == me[OPEN_ID]

    def _messages(self, chat_id: str) -> Entities:
        return self._chats.subcollection(chat_id, "messages", _INVALID_MESSAGE_REQUEST)

    def _chat_view(self, chat: Fields, id_type: str, names: tuple[str, ...]) -> dict[str, Any]:
        owner = {"owner_id": self._account.convert_id(str(chat.get("owner_id", "")), id_type), "owner_id_type": id_type}
        counts = {"user_count": str(chat.get("user_count", len(chat.get("members", {})))), "bot_count": "0"}
        fields = {**_CHAT_DEFAULTS, **nest(chat), **owner, **counts, **_TENANT_FIELDS}
        return {name: fields[name] for name in names}

    def _create_chat(self, people: list[Fields], settings: Fields) -> dict[str, Any]:
        """Create a chat that belongs to the first of its people."""
        owner = people[0]
        members = {
            each["user_id"]: {
                "member_id": each["user_id"],
                "name": each["name"],
                "is_owner": each["user_id"] == owner["user_id"],
            }
            for each in people
        }
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


def _sent_seconds(message: Fields) -> int:
    """Return the time at which a message was sent, in seconds.

    Lark stores milliseconds, while the contexts of MCP-Persona store seconds.
    """
    time = int(message["create_time"])
    return time // 1000 if time >= _MIN_MILLISECONDS else time


def _last_active(chat: Fields) -> int:
    return max((_sent_seconds(each) for each in chat.get("messages", {}).values()), default=0)


def _is_valid_content(kind: str, content: str) -> bool:
    """Return whether a message's content is a JSON object, with a string in ``text`` if it is a text message."""
    try:
        body = json.loads(content)
    except ValueError:
        return False
    return isinstance(body, dict) and (kind != "text" or isinstance(body.get("text"), str))


def _message_view(chat_id: str, message: Fields) -> dict[str, Any]:
    view = nest(message)
    sender = {"id_type": OPEN_ID, **view.pop("sender", {}), **_TENANT_FIELDS}
    edit_fields = {"update_time": message["create_time"], "deleted": False, "updated": False}
    return {**view, **edit_fields, "chat_id": chat_id, "sender": sender}
