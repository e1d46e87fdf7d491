"""Options with which pytest prints something in place of running tests."""

import argparse

_LISTING = ("help", "version", "collectonly", "markers", "cacheshow", "showfixtures", "show_fixtures_per_test")
"""Names of the options; a plugin of pytest that is switched off takes its own away."""


def only_lists(options: argparse.Namespace) -> bool:
    """Return whether pytest is told to print its help, tests, markers, fixtures or cache, and to run nothing."""
    return any(getattr(options, name, False) for name in _LISTING)
