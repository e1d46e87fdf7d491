"""The universal e-mail server: the seven tools of ``mcp-email`` (TimeCyber), over simulated accounts.

Names, parameters and the Chinese response texts are the real server's. The real server does not validate arguments,
so that wrong ones fail inside its mail library; here they are refused with the TypeScript SDK's messages.

The tree is ``{configuration: {user, password, smtpHost, …}, accounts: {address: {email, password, smtpHost, …, inbox:
{uid: mail}, sent: {message_id: mail}}}}``: the client's settings and the accounts that exist on the servers. Only a
connection shows whether the two agree.
"""

import re
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict, Unpack

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import (
    TYPESCRIPT,
    MissingEntity,
    Simulation,
    ToolFailure,
    file_inside,
    plain_schema,
    prefix_failures,
)
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


# Response texts of the mail client.

_LINE = "─" * 32


def set_up_text(address: str, provider: Provider) -> str:
    """Return the response for an account that was set up."""
    smtp, imap = provider.smtp, provider.imap
    return (
        f"✅ 邮箱账号设置成功!\n\n📧 邮箱地址: {address}\n🏢 邮箱提供商: {provider.name}\n"
        f"📤 SMTP服务器: {smtp[0]}:{smtp[1]} (SSL: {_flag(smtp[2])})\n"
        f"📥 IMAP服务器: {imap[0]}:{imap[1]} (SSL: {_flag(imap[2])})"
    )


def configured_text(settings: Mapping[str, Any]) -> str:
    """Return the settings after an update, without the password."""
    smtp, imap = (f"{settings.get(f'{each}Host')}:{settings.get(f'{each}Port')}" for each in ("smtp", "imap"))
    return f"邮箱配置已更新:\n用户: {settings.get('user')}\nSMTP: {smtp}\nIMAP: {imap}"


def providers_text() -> str:
    """Return every provider with its key, domains and servers."""
    entries = (
        f"🔹 {each.name} ({key})\n   域名: {', '.join(each.domains)}\n"
        f"   SMTP: {each.smtp[0]}:{each.smtp[1]}\n   IMAP: {each.imap[0]}:{each.imap[1]}"
        for key, each in PROVIDERS.items()
    )
    return "📋 支持的邮箱提供商:\n\n" + "\n\n".join(entries)


def recent_text(mails: Sequence[Mapping[str, Any]], days: float) -> str:
    """Return mails as a list."""
    if not mails:
        return f"📭 最近{days:g}天没有邮件"
    entries = (
        f"{number}. UID: {each['uid']}\n   📅 日期: {_date(each)}\n   👤 发件人: {each['from']}\n"
        f"   📝 主题: {each['subject'] or '(无主题)'}"
        for number, each in enumerate(mails, 1)
    )
    return f"📬 最近{days:g}天的邮件 (共{len(mails)}封):\n\n" + "\n\n".join(entries)


def mail_text(mail: Mapping[str, Any]) -> str:
    """Return one complete mail."""
    copies = f"📋 抄送: {', '.join(mail['cc'])}\n" if mail.get("cc") else ""
    files = "".join(f"\n- {each['filename']} ({each['size']} bytes)" for each in mail.get("attachments", ()))
    return (
        f"📧 邮件详情 (UID: {mail['uid']})\n{_LINE}\n📅 日期: {_date(mail)}\n👤 发件人: {mail['from']}\n"
        f"👥 收件人: {', '.join(mail['to'])}\n{copies}📝 主题: {mail['subject'] or '(无主题)'}\n{_LINE}\n"
        f"📄 文本内容:\n{mail['text']}" + (f"\n📎 附件:{files}" if files else "")
    )


def sent_text(mail: Mapping[str, Any]) -> str:
    """Return the response for a mail that was sent."""
    to = ", ".join(mail["to"])
    return f"✅ 邮件发送成功!\n收件人: {to}\n主题: {mail['subject']}\n消息ID: <{mail['message_id']}>"


def _date(mail: Mapping[str, Any]) -> str:
    """Return the mail's date as JavaScript prints it."""
    return f"{sent_at(mail).astimezone(UTC):%a %b %d %Y %H:%M:%S} GMT+0000 (Coordinated Universal Time)"


def _flag(value: bool) -> str:
    return str(value).lower()


# The tools.

Password = Annotated[str, Field(description="Password or authorisation code")]


class Attachment(TypedDict):
    """A file to send along: one at a path, or its content."""

    filename: NotRequired[Annotated[str, Field(description="Name of the file")]]
    path: NotRequired[Annotated[str, Field(description="Path of the file")]]
    content: NotRequired[Annotated[str, Field(description="Content in base 64")]]


class Mail(TypedDict):
    """A mail to send."""

    to: Annotated[list[str], Field(description="Addresses of the recipients")]
    cc: NotRequired[Annotated[list[str], Field(description="Addresses that get a copy")]]
    bcc: NotRequired[Annotated[list[str], Field(description="Addresses that get a hidden copy")]]
    subject: Annotated[str, Field(description="Subject line")]
    text: Annotated[str, Field(description="The text")]
    html: NotRequired[Annotated[str, Field(description="The text as HTML")]]
    attachments: NotRequired[Annotated[list[Attachment], Field(description="Files to send along")]]


class Servers(TypedDict):
    """The mail servers of the client; omitted fields remain unchanged."""

    smtpHost: NotRequired[Annotated[str, Field(description="Host of the SMTP server")]]
    smtpPort: NotRequired[Annotated[int, Field(description="Port of the SMTP server")]]
    smtpSecure: NotRequired[Annotated[bool, Field(description="Whether SMTP is encrypted from the beginning")]]
    imapHost: NotRequired[Annotated[str, Field(description="Host of the IMAP server")]]
    imapPort: NotRequired[Annotated[int, Field(description="Port of the IMAP server")]]
    imapSecure: NotRequired[Annotated[bool, Field(description="Whether IMAP is encrypted from the beginning")]]


def send_email(client: MailClient, **mail: Unpack[Mail]) -> str:
    """Send an email from the configured account."""
    with prefix_failures("邮件发送失败"):
        return sent_text(client.send(mail))


def get_recent_emails(
    client: MailClient,
    limit: Annotated[float, Field(description="How many to return at most (default: 20)")] = 20,
    days: Annotated[float, Field(description="How many days to look back (default: 3)")] = 3,
) -> str:
    """List the emails that arrived in the last days, the newest first."""
    with prefix_failures("获取邮件失败"):
        return recent_text(client.recent(days, int(limit)), days)


def get_email_content(
    client: MailClient, uid: Annotated[str, Field(description="Identifier of the email, as the list has it")]
) -> str:
    """Read one email."""
    with prefix_failures("获取邮件内容失败"):
        return mail_text(client.mail(uid))


def setup_email_account(
    client: MailClient,
    email: Annotated[str, Field(description="The address")],
    password: Password,
    provider: Annotated[str | None, Field(description="Key of the provider; by default found by the domain")] = None,
) -> str:
    """Set up an email account; the servers are those of its provider."""
    return set_up_text(email, client.set_up(email, password, provider))


def list_supported_providers(_client: MailClient) -> str:
    """List the email providers whose servers are known, with their keys."""
    return providers_text()


def configure_email_server(
    client: MailClient,
    user: Annotated[str, Field(description="The address")],
    password: Password,
    **servers: Unpack[Servers],
) -> str:
    """Set account and servers by hand, for providers that are not known."""
    return configured_text(client.configure({"user": user, "password": password, **servers}))


def test_email_connection(client: MailClient) -> str:
    """Try whether the configured servers can be reached and let the account in."""
    with prefix_failures("❌ 邮箱连接测试失败"):
        client.check("smtp")
        client.check("imap")
    return f"✅ 邮箱连接测试成功!\n📧 账号: {client.configuration['user']}\n📤 SMTP: 正常\n📥 IMAP: 正常"


SIMULATION = Simulation(
    name="universal-email-server",
    state=MailClient,
    tools=(
        configure_email_server,
        get_email_content,
        get_recent_emails,
        list_supported_providers,
        send_email,
        setup_email_account,
        test_email_connection,
    ),
    dialect=replace(TYPESCRIPT, schema=plain_schema, closed=False),
    failure="错误: {message}",
)
server = SIMULATION.server
"""Factory that builds the server over the world of one attempt."""
