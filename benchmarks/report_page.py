"""Measure the HTML page of runs: size, time and memory to write it, processor time to open and to search it.

Run it from the root of the repository: ``python -m benchmarks.report_page RUN…``. It needs Chromium.
"""

import argparse
import resource
import tempfile
import time
from pathlib import Path

from pytest_mcpbench.cli.run_reports import read_runs, rendered_report
from pytest_mcpbench.garbage_collection import paused_collection
from pytest_mcpbench.reporting.page.attempt_blocks import PackedAttempts
from tests.browser import Browser, browser

WORDS = ("a", "error", '"no such phrase"', "zebra")


def main() -> None:
    """Write the page of the runs and print what it costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path, nargs="+")
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        page = Path(directory) / "page.html"
        write_page(page, runs)
        with browser(Path(directory)) as running:
            measure(running, page)


def write_page(page: Path, runs: list[Path]) -> None:
    """Write the page and print its size, and the time and memory that it takes."""
    started = time.process_time()
    attempts = PackedAttempts()
    with paused_collection():
        report, homes = read_runs(runs, attempts)
        read = time.process_time()
        options = argparse.Namespace(format="html")
        with page.open("w", encoding="utf-8") as file:
            file.writelines(rendered_report(report, homes, options, attempts, is_for_file=True))
    print(f"attempts: {len(report.entries):,}; page: {page.stat().st_size / 1e6:.1f} MB")
    print(f"processor seconds: reading the runs {read - started:.1f} and the page {time.process_time() - read:.1f}")
    print(f"peak MB: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}")


def measure(running: Browser, page: Path) -> None:
    """Open the page, search it, and print the processor seconds of the page's thread."""
    running.show(width=1280)
    running.open(page.as_uri())
    running.wait_for("document.querySelector('#list tbody a')")
    print(f"opening: {running.metrics()['TaskDuration']:.2f} processor seconds")
    for number, words in enumerate((WORDS[0], *WORDS)):
        before = running.metrics()["TaskDuration"]
        search(running, words)
        kind = "first search, which inflates everything" if number == 0 else f"search for {words}"
        print(f"{kind}: {running.metrics()['TaskDuration'] - before:.3f} processor seconds")


def search(running: Browser, words: str) -> None:
    """Type words into the search field and wait for the list."""
    running.run(
        f"(() => {{ const find = document.getElementById('filters').elements.text; find.value = {words!r};"
        " find.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )
    running.settle()


if __name__ == "__main__":
    main()
