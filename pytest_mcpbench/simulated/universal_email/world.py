"""A mail client and the mail accounts that it can reach, over a context tree.

The tree is ``{configuration: {user, password, smtpHost, …}, accounts: {address: {email, password, smtpHost, …, inbox:
{uid: mail}, sent: {message_id: mail}}}}``: the client's settings and the accounts that exist on the servers. Only a
connection shows whether the two agree.
"""

import re
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import MissingEntity, ToolFailure, file_inside
from pytest_mcpbench.simulated.universal_email.providers import PROVIDERS, Provider, provider_of
from pytest_mcpbench.simulated.universal_email.seed import convert_contexts, seed, seed_without_configuration

SHAPE = Shape(
    (
        Collection("accounts", id_field="email"),
        Collection("accounts[*].inbox", id_field="uid"),
        Collection("accounts[*].sent", id_field="message_id"),
    )
)
_MAX_DAYS = 36_500
"""Maximum age of mails to look back for, in days."""
_BARE = re.compile(r"<([^<>]*)>\s*$")
_VALID = re.compile(r"[^\s@]+@[^\s@]+")


class MailClient:
    """The client of one attempt."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.tree = world.tree(
            seed, shape=SHAPE, seeds={"unconfigured": seed_without_configuration}, convert=convert_contexts
        )

    @property
    def configuration(self) -> dict[str, Any]:
        """The client's settings; empty before an account is set up."""
        settings: dict[str, Any] = self.tree.get("configuration")
        return settings

    def set_up(self, address: str, password: str, provider: str | None) -> Provider:
        """Configure the client for an account at a provider; the password is only checked by the next connection."""
        key = provider or provider_of(address)
        if key is None:
            raise ToolFailure(
                f"无法识别邮箱类型: {address}\n\n请用 list_supported_providers 查看支持的类型, 或指定 provider 参数。"
            )
        if key not in PROVIDERS:
            raise ToolFailure(f"不支持的邮箱提供商: {key}")
        selected = PROVIDERS[key]
        self.configure({"user": address, "password": password, "provider": key, **selected.settings})
        return selected

    def configure(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Update the client's settings and return all of them."""
        updated: dict[str, Any] = self.tree.update("configuration", settings)
        return updated

    def check(self, protocol: str) -> dict[str, Any]:
        """Return the account that a connection over ``smtp`` or ``imap`` opens, or raise if the settings are wrong."""
        settings = self.configuration
        if not settings.get("user") or not settings.get("password"):
            raise ToolFailure("请先设置邮箱账号和密码")
        # Providers ignore the case of the address that logs in.
        user = str(settings["user"]).casefold()
        accounts: Sequence[dict[str, Any]] = self.tree.list("accounts")
        account = next((each for each in accounts if each["email"].casefold() == user), None)
        host, port = settings.get(f"{protocol}Host"), settings.get(f"{protocol}Port")
        if account is not None and host != account[f"{protocol}Host"]:
            raise ToolFailure(f"getaddrinfo ENOTFOUND {host}")
        if account is not None and port != account[f"{protocol}Port"]:
            raise ToolFailure(f"connect ECONNREFUSED {host}:{port}")
        if account is None or settings["password"] != account["password"]:
            message = "Invalid login: 535 Error: authentication failed" if protocol == "smtp" else "Login failed"
            raise ToolFailure(message)
        return account

    def recent(self, days: float, limit: int) -> list[dict[str, Any]]:
        """Return the mails of the last days, newest first."""
        since = self._world.now - timedelta(days=min(max(days, 0), _MAX_DAYS))
        mails = [each for each in self.check("imap")["inbox"].values() if sent_at(each) >= since]
        return sorted(mails, key=sent_at, reverse=True)[:limit]

    def mail(self, uid: str) -> dict[str, Any]:
        """Return one mail of the inbox."""
        inbox: dict[str, dict[str, Any]] = self.check("imap")["inbox"]
        if uid not in inbox:
            raise MissingEntity(f"未找到UID为 {uid} 的邮件")
        return inbox[uid]

    def send(self, mail: Mapping[str, Any]) -> dict[str, Any]:
        """Send a mail; ``mail`` holds the arguments of ``send_email``.

        A mail to the account's own address arrives in the inbox.
        """
        account = self.check("smtp")
        recipients = [_bare_address(each) for key in ("to", "cc", "bcc") for each in mail.get(key, ())]
        if not recipients:
            raise ToolFailure("No recipients defined")
        invalid = [each for each in recipients if not _VALID.fullmatch(each)]
        if invalid:
            raise ToolFailure(
                f"Can't send mail - all recipients were rejected: 553 5.1.3 <{invalid[0]}>: "
                "Bad recipient address syntax"
            )
        message = self._compose(account["email"], mail)
        self.tree.create(f"accounts[{account['email']}].sent", message)
        if account["email"] in recipients:
            uid = str(max(map(int, account["inbox"]), default=0) + 1)
            self.tree.create(f"accounts[{account['email']}].inbox", {"uid": uid, **message, "seen": False})
        return message

    def _compose(self, sender: str, mail: Mapping[str, Any]) -> dict[str, Any]:
        attachments: list[dict[str, Any]] = []
        for each in mail.get("attachments", ()):
            if "content" in each:
                try:
                    size = len(b64decode(each["content"], validate=True))
                except NotBase64 as error:
                    raise ToolFailure(f"Invalid base64 content: {each.get('filename', '')}") from error
                attachments.append({"filename": each.get("filename", "attachment"), "size": size})
            else:
                path = each.get("path", "")
                source = file_inside(self._world, path)
                if source is None:
                    raise ToolFailure(f"ENOENT: no such file or directory, open '{path}'")
                attachments.append({"filename": each.get("filename", source.name), "size": source.stat().st_size})
        extras = {key: mail[key] for key in ("bcc", "html") if mail.get(key)}
        return {
            "message_id": f"{self._world.ids.uuid()}@{sender.rpartition('@')[2]}",
            "from": sender,
            "to": mail["to"],
            "cc": mail.get("cc", []),
            "subject": mail["subject"],
            "text": mail["text"],
            **extras,
            "date": self._world.now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "attachments": attachments,
        }


def sent_at(mail: Mapping[str, Any]) -> datetime:
    """Return the time at which a mail was sent, or 1970 if it has no date."""
    return datetime.fromisoformat(mail.get("date", "1970-01-01T00:00:00Z"))


def _bare_address(address: str) -> str:
    """Return the address without the name in front of it."""
    match = _BARE.search(address)
    return (match[1] if match else address).strip()
