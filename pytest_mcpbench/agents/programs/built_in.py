"""Programs that work as agents without any configuration."""

from collections.abc import Callable
from dataclasses import dataclass

from pytest_mcpbench.agents.programs.agent_table import AgentTable
from pytest_mcpbench.agents.programs.claude_code import ClaudeCode
from pytest_mcpbench.agents.programs.codex import Codex
from pytest_mcpbench.agents.programs.gemini_cli import GeminiCli
from pytest_mcpbench.agents.programs.goose import Goose
from pytest_mcpbench.agents.programs.opencode import OpenCode
from pytest_mcpbench.agents.programs.program import Program


@dataclass(frozen=True)
class BuiltIn:
    """Built-in program: how it is found and made."""

    executable: str
    installation: str
    """Advice for somebody who does not have it."""
    make: Callable[[AgentTable], Program]
    checked: str = ""
    """Version with which its settings and the profile of its name were checked; empty for a program without one."""


BUILT_IN = {
    "claude-code": BuiltIn("claude", "npm install -g @anthropic-ai/claude-code", ClaudeCode, "2.1.197"),
    "codex": BuiltIn("codex", "npm install -g @openai/codex", Codex, "0.169.0"),
    "gemini-cli": BuiltIn("gemini", "npm install -g @google/gemini-cli", GeminiCli),
    "goose": BuiltIn("goose", "see https://block.github.io/goose/docs/getting-started/installation", Goose),
    "opencode": BuiltIn("opencode", "npm install -g opencode-ai", OpenCode),
}
"""By name, as in ``--model=agent:NAME``."""
