"""The simulated servers that ship with the plugin, by name."""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

from pytest_mcpbench.text.suggestions import hint

SERVERS: Mapping[str, str] = MappingProxyType(
    {
        "amap-maps": "pytest_mcpbench.simulated.maps.amap:server",
        "baidu-maps": "pytest_mcpbench.simulated.maps.baidu:server",
        "calendar": "pytest_mcpbench.simulated.calendar.server:server",
        "context7": "pytest_mcpbench.simulated.context7.server:server",
        "database": "pytest_mcpbench.simulated.database.server:server",
        "deep-research": "pytest_mcpbench.simulated.deep_research.server:server",
        "deepseek": "pytest_mcpbench.simulated.deepseek.server:server",
        "discord": "pytest_mcpbench.simulated.discord.server:server",
        "documents": "pytest_mcpbench.simulated.documents.server:server",
        "feishu": "pytest_mcpbench.simulated.lark.server:server",
        "files": "pytest_mcpbench.simulated.files.server:server",
        "finance-agent": "pytest_mcpbench.simulated.market.finance_agent:server",
        "git": "pytest_mcpbench.simulated.git.server:server",
        "gmail": "pytest_mcpbench.simulated.gmail.server:server",
        "google-maps": "pytest_mcpbench.simulated.maps.google:server",
        "google-search": "pytest_mcpbench.simulated.search.google:server",
        "instagram": "pytest_mcpbench.simulated.instagram.server:server",
        "lark_mcp": "pytest_mcpbench.simulated.lark.server:server",
        "mail": "pytest_mcpbench.simulated.mail.server:server",
        "math": "pytest_mcpbench.simulated.math.server:server",
        "mcp-monitor": "pytest_mcpbench.simulated.monitor.server:server",
        "mcpollinations": "pytest_mcpbench.simulated.pollinations.server:server",
        "medical-mcp": "pytest_mcpbench.simulated.medical.server:server",
        "memory": "pytest_mcpbench.simulated.memory.server:server",
        "messages": "pytest_mcpbench.simulated.messages.server:server",
        "notion": "pytest_mcpbench.simulated.notion.server:server",
        "obsidian": "pytest_mcpbench.simulated.obsidian.server:server",
        "paypal": "pytest_mcpbench.simulated.payments.server:server",
        "playwright": "pytest_mcpbench.simulated.browser.playwright:server",
        "puppeteer": "pytest_mcpbench.simulated.browser.puppeteer:server",
        "reddit": "pytest_mcpbench.simulated.reddit.server:server",
        "slack": "pytest_mcpbench.simulated.slack.server:server",
        "studio-office-mail": "pytest_mcpbench.simulated.studio.office_mail:server",
        "studio-shop": "pytest_mcpbench.simulated.studio.shop:server",
        "studio-web": "pytest_mcpbench.simulated.studio.town_web:server",
        "tavily": "pytest_mcpbench.simulated.search.tavily:server",
        "telegram": "pytest_mcpbench.simulated.telegram.server:server",
        "tushare": "pytest_mcpbench.simulated.tushare.server:server",
        "universal_email": "pytest_mcpbench.simulated.universal_email.server:server",
        "terminal": "pytest_mcpbench.simulated.terminal.server:server",
        "websearch": "pytest_mcpbench.simulated.websearch.server:server",
        "wealth-accounts": "pytest_mcpbench.simulated.wealth.accounts:server",
        "wealth-content": "pytest_mcpbench.simulated.wealth.content:server",
        "wealth-funds": "pytest_mcpbench.simulated.wealth.funds:server",
        "wealth-stocks": "pytest_mcpbench.simulated.wealth.stocks:server",
        "wealth-strategies": "pytest_mcpbench.simulated.wealth.strategies:server",
        "wecom": "pytest_mcpbench.simulated.wecom.server:server",
        "wecome": "pytest_mcpbench.simulated.wecom.server:server",
        "xiaohongshu": "pytest_mcpbench.simulated.xiaohongshu.server:server",
        "yahoo-finance": "pytest_mcpbench.simulated.market.yahoo_finance:server",
    }
)
"""Name -> ``module:attribute`` of the factory.

A factory takes the :class:`~pytest_mcpbench.core.sandbox.World` of an attempt and returns an MCP server; its module is
imported on first use."""


def __getattr__(name: str) -> Any:
    """Return the factory of a server, so that ``pytest_mcpbench.simulated.catalogue:slack`` is a valid address."""
    if name.startswith("__"):
        raise AttributeError(name)
    if name not in SERVERS:
        raise AttributeError(f"no simulated server is called {name!r}. {hint(name, SERVERS)}")
    module, _, attribute = SERVERS[name].partition(":")
    return getattr(import_module(module), attribute)
