"""Catalogue of the built-in loaders and the default loader for each file extension."""

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
"""Name -> ``module:attribute``, so that looking up a name imports nothing."""

RECORDED_TOOLS: Mapping[str, str] = MappingProxyType({"toolbench": "pytest_mcpbench.loaders.toolbench:recorded_tools"})
"""Loader -> ``module:attribute`` of a function ``(content, file) -> {server: tools}``, for formats whose files contain
tool schemas."""

NATIVE_ENDINGS = (".yaml", ".yml", ".jsonl", ".json")


def default_loader(file: str) -> str | None:
    """Return the loader implied by a file's extension, or ``None`` if the suite must specify one."""
    return "native" if PurePath(file).suffix.lower() in NATIVE_ENDINGS else None
