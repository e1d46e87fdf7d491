"""Path resolution that keeps the paths an agent writes inside the attempt's directory."""

from pathlib import Path

from pytest_mcpbench.core.sandbox import World


def resolve_inside(world: World, path: str | Path) -> Path | None:
    """Resolve a path relative to the attempt's directory; return ``None`` if it leads outside or is no path."""
    directory = world.path.resolve()
    try:
        target = (directory / path).resolve()
    except (OSError, ValueError):  # too long, or with a character that no path has
        return None
    return target if target.is_relative_to(directory) else None


def file_inside(world: World, path: str | Path) -> Path | None:
    """Return an existing file of the attempt's directory; ``None`` if there is none at the path."""
    target = resolve_inside(world, path)
    try:
        return target if target is not None and target.is_file() else None
    except OSError:  # a name that is too long
        return None
