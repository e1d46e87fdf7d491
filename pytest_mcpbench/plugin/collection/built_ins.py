"""Metrics and loaders that ship with the plugin, provided through the same hooks as everybody else's."""

from collections.abc import Mapping
from typing import Any


def pytest_mcpbench_metrics() -> Mapping[str, Any]:
    """Return the metrics of the five benchmarks."""
    from pytest_mcpbench.metrics.catalogue import BUILT_IN

    return BUILT_IN


def pytest_mcpbench_loaders() -> Mapping[str, Any]:
    """Return the native loader and those of the five benchmarks."""
    from pytest_mcpbench.loaders.catalogue import BUILT_IN

    return BUILT_IN
