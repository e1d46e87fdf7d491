"""Page of the local server: tables of the runs, a comparison of two of them, and the list of attempts."""

import threading
from collections.abc import Sequence
from datetime import UTC, datetime

from markupsafe import Markup

from pytest_mcpbench.garbage_collection import paused_collection
from pytest_mcpbench.reporting.aggregates.regressions import compare_runs
from pytest_mcpbench.reporting.page.comparison_page import TRACES, comparison_page, verdict
from pytest_mcpbench.reporting.page.document import served_page
from pytest_mcpbench.reporting.page.sections.layout import paragraph
from pytest_mcpbench.reporting.page.sections.report_sections import report_sections
from pytest_mcpbench.reporting.tables.section import Section, plain
from pytest_mcpbench.runs.arms.explanation import compared_runs
from pytest_mcpbench.viewer.run_index import RunIndex

SOURCE = "source/"
"""Address below which the script of the page fetches attempts, relative to the page."""

COMPARISON = "comparison"
"""Address of the page of the comparison, relative to the page of the runs."""
_LINK = Markup('<p><a href="{}">Differences with intervals, changed tasks with both trajectories, and causes</a></p>')


class Pages:
    """Pages of the runs; the tables are made again only when attempts have changed."""

    def __init__(self, index: RunIndex, title: str) -> None:
        self._index = index
        self._title = title
        self._lock = threading.Lock()
        self._cached: tuple[tuple[int, bool], str] | None = None

    def page(self) -> str:
        """Return the page of all runs as they are now."""
        with self._lock:
            state = self._index.version, self._index.is_complete
            if self._cached is None or self._cached[0] != state:
                before, after = self._sections()
                self._cached = state, served_page(title=self._title, sections=before, source=SOURCE, closing=after)
            return self._cached[1]

    def comparison(self) -> str | None:
        """Return the page of ``mcpbench compare`` for two runs; ``None`` if there are not two."""
        if not self._has_comparison():
            return None
        before, after = (
            (self._index.report_of(run), directory) for run, directory in enumerate(self._index.directories)
        )
        return "".join(comparison_page(compared_runs(before, after, most_traces=TRACES)))

    def _has_comparison(self) -> bool:
        return len(self._index.directories) == 2 and self._index.is_complete

    def _sections(self) -> tuple[Sequence[Section], Sequence[Section]]:
        """Return the sections before and after the attempts."""
        count = self._index.count()
        if not self._index.is_complete:
            return (_state(f"{count:,} attempts are read so far. Load the page again for tables of all."),), ()
        if not count:
            return (_state("No attempt has ended so far. Attempts appear in the list as they end."),), ()
        with paused_collection():
            report = self._index.report()
            before, after = report_sections(report)
        time = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"
        state = _state(f"{count:,} attempts at {time}. The list stays up to date; load the page again for the rest.")
        comparison: tuple[Section, ...] = ()
        if self._has_comparison():
            sentence = verdict(compare_runs(self._index.report_of(0), self._index.report_of(1)))
            title = " → ".join(self._index.names)
            comparison = (Section("runs", f"Comparison: {title}", paragraph(sentence) + _LINK.format(COMPARISON)),)
        return (state, *comparison, *before), after


def _state(text: str) -> Section:
    return Section("state", "State", Markup("<p>{}</p>").format(plain(text)))
