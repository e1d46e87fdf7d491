"""Which loaders ship, which of them know recorded tools, and which one reads a file that names none."""

from collections.abc import Mapping
from pathlib import PurePath
from types import MappingProxyType

BUILT_IN: Mapping[str, str] = MappingProxyType(
    {
        "native": "pytest_mcpbench.loaders.native:load",
        "toolbench": "pytest_mcpbench.loaders.toolbench:load",
        "atlas": "pytest_mcpbench.loaders.atlas:load",
        "finmcp": "pytest_mcpbench.loaders.finmcp:load",
        "radar": "pytest_mcpbench.loaders.radar:load",
        "persona": "pytest_mcpbench.loaders.persona:load",
    }
)
"""Name -> ``module:attribute``, so that naming a loader imports none."""

RECORDED_TOOLS: Mapping[str, str] = MappingProxyType({"toolbench": "pytest_mcpbench.loaders.toolbench:recorded_tools"})
"""Loader -> ``module:attribute`` of a function ``(content, file) -> {server: tools}``, for formats whose files hold the
tools' own schemas."""

NATIVE_ENDINGS = (".yaml", ".yml", ".jsonl", ".json")


def default_loader(file: str) -> str | None:
    """The loader of a file that names none, by its ending; ``None`` where it must be named."""
    return "native" if PurePath(file).suffix.lower() in NATIVE_ENDINGS else None
