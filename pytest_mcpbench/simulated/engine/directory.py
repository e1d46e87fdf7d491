"""Files of an attempt: a path that an agent wrote never leads out of the attempt's directory."""

from pathlib import Path

from pytest_mcpbench.core.sandbox import World


def inside(world: World, path: str | Path) -> Path | None:
    """The place that a path, relative to the attempt's directory, leads to; ``None`` where that lies outside of it."""
    directory = world.path.resolve()
    target = (directory / path).resolve()
    return target if target.is_relative_to(directory) else None
