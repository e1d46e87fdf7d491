"""Entry of an attempt as an attribute of its pytest report.

pytest serializes every attribute of a report whose value is plain JSON, and pytest-xdist sends it to the controller.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_mcpbench.core.report import Entry


RERUN = "rerun"
"""Outcome of a report that another one of the item follows: the word of pytest-rerunfailures, which others know."""


def attach_entry(report: Any, entry: "Entry") -> None:
    """Attach the entry to the report of its item."""
    # Without what equals the defaults, as most fields of most entries do: pytest-xdist sends the rest.
    report.mcpbench = entry.model_dump(mode="json", exclude_defaults=True)


_READ_LATER = ("outcome", "error")
"""Fields that pytest's sections at the end of the run show."""


def shorten_entry(report: Any) -> None:
    """Leave only what is read after ``pytest_runtest_logreport``: pytest keeps its reports to the end of the run."""
    fields = entry_fields(report)
    if fields is not None:
        report.mcpbench = {name: fields[name] for name in _READ_LATER if name in fields}


def has_entry(report: Any) -> bool:
    """Return whether the report is that of an attempt."""
    return entry_fields(report) is not None


def entry_fields(report: Any) -> dict[str, Any] | None:
    """Return the fields of the report's entry that differ from their defaults, as plain JSON.

    Once all plugins have seen the report, only the outcome and the error. ``None`` for the report of another test.
    """
    fields: dict[str, Any] | None = getattr(report, "mcpbench", None)
    return fields


def read_entry(report: Any) -> "Entry | None":
    """Return the report's entry, ``None`` for the report of another test."""
    fields = entry_fields(report)
    if fields is None:
        return None
    from pytest_mcpbench.core.report import Entry

    return Entry.model_validate(fields)
