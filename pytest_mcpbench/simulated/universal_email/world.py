"""A mail client and the mail accounts that it can reach, over a context tree.

The tree is ``{configuration: {user, password, smtpHost, …}, accounts: {address: {email, password, smtpHost, …, inbox:
{uid: mail}, sent: {message_id: mail}}}}``: what the client is set to, and what exists on the servers. Nothing but a
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
from pytest_mcpbench.simulated.engine import MissingEntity, ToolFailure, resolve_inside
from pytest_mcpbench.simulated.universal_email.providers import PROVIDERS, Provider, recognised
from pytest_mcpbench.simulated.universal_email.seed import adapted, seed, unconfigured

SHAPE = Shape(
    (
        Collection("accounts", id_field="email"),
        Collection("accounts[*].inbox", id_field="uid"),
        Collection("accounts[*].sent", id_field="message_id"),
    )
)
_LONGEST_LOOK_BACK = 36_500
"""In days."""
_BARE = re.compile(r"<([^<>]*)>\s*$")
_VALID = re.compile(r"[^\s@]+@[^\s@]+")


class MailClient:
    """The client in one attempt."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.tree = world.tree(seed, shape=SHAPE, seeds={"unconfigured": unconfigured}, adapted=adapted)

    @property
    def configuration(self) -> dict[str, Any]:
        """What the client is set to; empty before an account is set up."""
        found: dict[str, Any] = self.tree.get("configuration")
        return found

    def set_up(self, address: str, password: str, provider: str | None) -> Provider:
        """Set the client to an account at a provider; whether the password is right, the next connection shows."""
        key = provider or recognised(address)
        if key is None:
            raise ToolFailure(
                f"无法识别邮箱类型: {address}\n\n请用 list_supported_providers 查看支持的类型, 或指定 provider 参数。"
            )
        if key not in PROVIDERS:
            raise ToolFailure(f"不支持的邮箱提供商: {key}")
        chosen = PROVIDERS[key]
        self.configure({"user": address, "password": password, "provider": key, **chosen.settings})
        return chosen

    def configure(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Set some of the client's settings and return all."""
        updated: dict[str, Any] = self.tree.update("configuration", settings)
        return updated

    def check(self, protocol: str) -> dict[str, Any]:
        """The account that a connection over ``smtp`` or ``imap`` opens; a failure where the settings are wrong."""
        settings = self.configuration
        if not settings.get("user") or not settings.get("password"):
            raise ToolFailure("请先设置邮箱账号和密码")
        account: dict[str, Any] | None = self.tree.find("accounts", settings["user"])
        host, port = settings.get(f"{protocol}Host"), settings.get(f"{protocol}Port")
        if account is not None and host != account[f"{protocol}Host"]:
            raise ToolFailure(f"getaddrinfo ENOTFOUND {host}")
        if account is not None and port != account[f"{protocol}Port"]:
            raise ToolFailure(f"connect ECONNREFUSED {host}:{port}")
        if account is None or settings["password"] != account["password"]:
            refused = "Invalid login: 535 Error: authentication failed" if protocol == "smtp" else "Login failed"
            raise ToolFailure(refused)
        return account

    def recent(self, days: float, limit: int) -> list[dict[str, Any]]:
        """What arrived in the last days, the newest first."""
        since = self._world.now - timedelta(days=min(max(days, 0), _LONGEST_LOOK_BACK))
        mails = [each for each in self.check("imap")["inbox"].values() if arrived(each) >= since]
        return sorted(mails, key=arrived, reverse=True)[:limit]

    def mail(self, uid: str) -> dict[str, Any]:
        """One mail of the inbox."""
        inbox: dict[str, dict[str, Any]] = self.check("imap")["inbox"]
        if uid not in inbox:
            raise MissingEntity(f"未找到UID为 {uid} 的邮件")
        return inbox[uid]

    def send(self, mail: Mapping[str, Any]) -> dict[str, Any]:
        """Send a mail, given as the arguments of ``send_email``; one to the own address arrives in the inbox."""
        account = self.check("smtp")
        recipients = [_bare(each) for key in ("to", "cc", "bcc") for each in mail.get(key, ())]
        _check_recipients(recipients)
        sent = self._composed(account["email"], mail)
        self.tree.create(f"accounts[{account['email']}].sent", sent)
        if account["email"] in recipients:
            uid = str(max(map(int, account["inbox"]), default=0) + 1)
            self.tree.create(f"accounts[{account['email']}].inbox", {"uid": uid, **sent, "seen": False})
        return sent

    def _composed(self, sender: str, mail: Mapping[str, Any]) -> dict[str, Any]:
        attached = [self._attached(each) for each in mail.get("attachments", ())]
        hidden = {key: mail[key] for key in ("bcc", "html") if mail.get(key)}
        return {
            "message_id": f"{self._world.ids.uuid()}@{sender.rpartition('@')[2]}",
            "from": sender,
            "to": mail["to"],
            "cc": mail.get("cc", []),
            "subject": mail["subject"],
            "text": mail["text"],
            **hidden,
            "date": self._world.now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "attachments": attached,
        }

    def _attached(self, attachment: Mapping[str, Any]) -> dict[str, Any]:
        """Name and size of an attachment, which is a file of the attempt or given in base 64."""
        if "content" in attachment:
            try:
                size = len(b64decode(attachment["content"], validate=True))
            except NotBase64 as error:
                raise ToolFailure(f"Invalid base64 content: {attachment.get('filename', '')}") from error
            return {"filename": attachment.get("filename", "attachment"), "size": size}
        path = attachment.get("path", "")
        source = resolve_inside(self._world, path)
        if source is None or not source.is_file():
            raise ToolFailure(f"ENOENT: no such file or directory, open '{path}'")
        return {"filename": attachment.get("filename", source.name), "size": source.stat().st_size}


def arrived(mail: Mapping[str, Any]) -> datetime:
    """When a mail was sent; one without a date, long ago."""
    return datetime.fromisoformat(mail.get("date", "1970-01-01T00:00:00Z"))


def _bare(address: str) -> str:
    """The address without the name in front."""
    found = _BARE.search(address)
    return (found[1] if found else address).strip()


def _check_recipients(recipients: Sequence[str]) -> None:
    if not recipients:
        raise ToolFailure("No recipients defined")
    wrong = [each for each in recipients if not _VALID.fullmatch(each)]
    if wrong:
        raise ToolFailure(
            f"Can't send mail - all recipients were rejected: 553 5.1.3 <{wrong[0]}>: Bad recipient address syntax"
        )
