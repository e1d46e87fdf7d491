"""Response texts of the mail client."""

from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Any

from pytest_mcpbench.simulated.universal_email.providers import PROVIDERS, Provider
from pytest_mcpbench.simulated.universal_email.world import sent_at

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
