"""The simulated servers that ship with the plugin, by name."""

from collections.abc import Mapping
from types import MappingProxyType

SERVERS: Mapping[str, str] = MappingProxyType(
    {
        "calendar": "pytest_mcpbench.simulated.calendar.server:server",
        "discord": "pytest_mcpbench.simulated.discord.server:server",
        "feishu": "pytest_mcpbench.simulated.lark.server:server",
        "gmail": "pytest_mcpbench.simulated.gmail.server:server",
        "instagram": "pytest_mcpbench.simulated.instagram.server:server",
        "files": "pytest_mcpbench.simulated.files.server:server",
        "lark_mcp": "pytest_mcpbench.simulated.lark.server:server",
        "mail": "pytest_mcpbench.simulated.mail.server:server",
        "math": "pytest_mcpbench.simulated.math.server:server",
        "telegram": "pytest_mcpbench.simulated.telegram.server:server",
        "wecom": "pytest_mcpbench.simulated.wecom.server:server",
        "wecome": "pytest_mcpbench.simulated.wecom.server:server",
        "slack": "pytest_mcpbench.simulated.slack.server:server",
        "obsidian": "pytest_mcpbench.simulated.obsidian.server:server",
        "reddit": "pytest_mcpbench.simulated.reddit.server:server",
        "universal_email": "pytest_mcpbench.simulated.universal_email.server:server",
        "xiaohongshu": "pytest_mcpbench.simulated.xiaohongshu.server:server",
    }
)
"""Name -> ``module:attribute`` of its factory, which takes the :class:`~pytest_mcpbench.core.sandbox.World` of an
attempt and gives an MCP server; nothing is imported until it is used."""
