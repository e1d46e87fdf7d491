"""The universal e-mail server: the seven tools of ``mcp-email`` (TimeCyber), over simulated accounts.

Names, parameters and the Chinese response texts are the real server's. The real server does not validate arguments,
so that wrong ones fail inside its mail library; here they are refused with the TypeScript SDK's messages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict, Unpack

from pytest_mcpbench.simulated.engine import TYPESCRIPT, Simulation, plain_schema, prefix_failures
from pytest_mcpbench.simulated.universal_email.providers import PROVIDERS, Provider
from pytest_mcpbench.simulated.universal_email.world import MailClient, sent_at

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
