"""Path resolution that keeps the paths an agent writes inside the attempt's directory."""

from pathlib import Path

from pytest_mcpbench.core.sandbox import World


def resolve_inside(world: World, path: str | Path) -> Path | None:
    """Resolve a path relative to the attempt's directory; return ``None`` if it leads outside that directory."""
    directory = world.path.resolve()
    target = (directory / path).resolve()
    return target if target.is_relative_to(directory) else None
