"""The mail providers that the client knows, with the addresses of their servers."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class Provider:
    """A provider and the mail domains that belong to it."""

    name: str
    domains: tuple[str, ...]
    smtp: tuple[str, int, bool]
    """Host, port, and whether the connection is encrypted from the start."""
    imap: tuple[str, int, bool]

    @property
    def settings(self) -> dict[str, Any]:
        """The client settings for this provider."""
        return {
            **dict(zip(("smtpHost", "smtpPort", "smtpSecure"), self.smtp, strict=True)),
            **dict(zip(("imapHost", "imapPort", "imapSecure"), self.imap, strict=True)),
        }


PROVIDERS: Mapping[str, Provider] = MappingProxyType(
    {
        "qq": Provider("QQ邮箱", ("qq.com",), ("smtp.qq.com", 587, False), ("imap.qq.com", 993, True)),
        "163": Provider(
            "网易邮箱", ("163.com", "126.com", "yeah.net"), ("smtp.163.com", 465, True), ("imap.163.com", 993, True)
        ),
        "gmail": Provider(
            "Gmail", ("gmail.com", "googlemail.com"), ("smtp.gmail.com", 587, False), ("imap.gmail.com", 993, True)
        ),
        "outlook": Provider(
            "Outlook",
            ("outlook.com", "hotmail.com", "live.com"),
            ("smtp.office365.com", 587, False),
            ("imap-mail.outlook.com", 993, True),
        ),
        "exmail": Provider(
            "腾讯企业邮箱", ("exmail.qq.com",), ("smtp.exmail.qq.com", 465, True), ("imap.exmail.qq.com", 993, True)
        ),
        "aliyun": Provider(
            "阿里云邮箱", ("aliyun.com",), ("smtp.aliyun.com", 465, True), ("imap.aliyun.com", 993, True)
        ),
        "sina": Provider(
            "新浪邮箱", ("sina.com", "sina.cn"), ("smtp.sina.com", 465, True), ("imap.sina.com", 993, True)
        ),
        "sohu": Provider("搜狐邮箱", ("sohu.com",), ("smtp.sohu.com", 465, True), ("imap.sohu.com", 993, True)),
    }
)


def provider_of(address: str) -> str | None:
    """Return the key of the provider that an address belongs to, by its domain."""
    domain = address.rpartition("@")[2].lower()
    return next((key for key, each in PROVIDERS.items() if domain in each.domains), None)
