"""The pipelines by name. Each is a package or module of this directory with a ``PIPELINE``."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mcpbench.generation.pipeline.setup import Pipeline

NAMES = ("chains", "dialogue", "live_dialogue", "persona", "templates", "tools", "traverse")


def pipeline(name: str) -> "Pipeline":
    """Return the pipeline with that name; its module is imported only now."""
    found: Pipeline = import_module(f"{__name__}.{name}").PIPELINE
    return found
