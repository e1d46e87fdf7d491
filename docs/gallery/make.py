"""Make the pages of the gallery from runs without a model: ``python docs/gallery/make.py OUT [--picture FILE]``.

``OUT`` gets the comment on a pull request, and ``OUT/site/gallery`` a report, a comparison and the page of a review.
``--picture`` also runs five imitated models and writes the first screen of their report as a PNG file with Chromium:
the picture of the README is made by ``python docs/gallery/make.py OUT --picture docs/images/report.png``.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

LIBRARY = Path(__file__).parent / "library"
MODELS = ("--model=lexical", "--model=oracle", "--model=noop")
CHANGES: Mapping[str, str] = {
    "Search the catalogue for books about a subject.": "Query the backend.",
    "Tell whether a copy of a book is on the shelf.": "Item status.",
    "List the loans of a member with their due dates.": "Account data.",
}
"""Descriptions that a pull request makes worse."""

IMITATED = Path(__file__).parent / "imitated"
IMITATED_MODELS = ("large-a", "large-b", "medium", "small", "tiny", "oracle", "noop")
SUITES = ("atlas", "finmcp", "persona", "radar", "toolbench")
PICTURE_SIZE = (1280, 800)
"""Width and height in pixels."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the files that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0] + ".")
    parser.add_argument("out", type=Path)
    parser.add_argument("--picture", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    out = options.out.resolve()
    pages = out / "site" / "gallery"
    pages.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor() as executor:
        made = [
            executor.submit(make_report, Path(scratch, "radar"), pages),
            executor.submit(make_library_pages, Path(scratch, "library"), pages, out / "comment.md"),
        ]
        if options.picture:
            made.append(executor.submit(make_picture, Path(scratch, "imitated"), options.picture.resolve()))
    for part in made:
        part.result()


def make_report(directory: Path, out: Path) -> None:
    """Run the three agents without a model on the sample of a suite."""
    directory.mkdir()
    tasks = ("--suite=radar", "--mcpbench-sample=10/domain")
    page = out / "report.html"
    run(directory, "pytest", *tasks, *MODELS, "--mcpbench-out=run", f"--mcpbench-page={page}")
    # Where the page was made says nothing to its readers.
    page.write_text(page.read_text(encoding="utf-8").replace(f"{directory}/", ""), encoding="utf-8")


def make_picture(directory: Path, picture: Path) -> None:
    """Run imitated models on samples of five suites and take a picture of the report."""
    shutil.copytree(IMITATED, directory, ignore=shutil.ignore_patterns("__pycache__"))
    suites = [f"--suite={suite}" for suite in SUITES]
    models = [f"--model={model}" for model in IMITATED_MODELS]
    page = directory / "report.html"
    run(directory, "pytest", *suites, *models, "--mcpbench-sample=8", "--mcpbench-out=run", f"--mcpbench-page={page}")
    take_picture(page, picture)


def make_library_pages(directory: Path, out: Path, comment: Path) -> None:
    """Run the tasks of a server before and after a change of its descriptions, and compare the runs."""
    shutil.copytree(LIBRARY, directory, ignore=shutil.ignore_patterns("__pycache__"))
    run(directory, "pytest_mcpbench.cli", "review", ".", "--play", f"--out={out}/review.html")
    run(directory, "pytest_mcpbench.cli", "lock")
    run(directory, "pytest", "--mcpbench-out=before")
    server = directory / "server.py"
    source = server.read_text(encoding="utf-8")
    for before, after in CHANGES.items():
        source = source.replace(before, after)
    server.write_text(source, encoding="utf-8")
    run(directory, "pytest", "--mcpbench-out=after")
    run(directory, "pytest_mcpbench.cli", "compare", "before", "after", "--format=html", f"--out={out}/comparison.html")
    run(directory, "pytest", "--mcpbench-baseline=tools.lock.json", f"--mcpbench-markdown={comment}")


def run(directory: Path, module: str, *arguments: str) -> None:
    """Run a module in the directory; tasks that fail are what the pages show, any other trouble is an error."""
    # In a job of GitHub the run would print annotations, and options of whoever runs this would change the pages.
    unwanted = ("PYTEST_ADDOPTS", "GITHUB_ACTIONS")
    environment = {name: value for name, value in os.environ.items() if name not in unwanted}
    # The pages show the package that they are delivered with, whatever is installed.
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        message = f"{' '.join(command[1:])} ended with exit code {done.returncode}:\n{done.stdout}{done.stderr}"
        raise RuntimeError(message)


def take_picture(page: Path, picture: Path) -> None:
    """Write the top of a page as a PNG file."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("--picture needs Chromium on the path")
    # The budget is in milliseconds of the page's own clock.
    options = ("--headless", "--no-sandbox", "--hide-scrollbars", "--virtual-time-budget=4000")
    size = f"--window-size={PICTURE_SIZE[0]},{PICTURE_SIZE[1]}"
    screenshot = f"--screenshot={picture}"
    subprocess.run([chromium, *options, size, screenshot, page.as_uri()], check=True, capture_output=True)


if __name__ == "__main__":
    main()
