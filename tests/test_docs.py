"""The pages name what there is, all of it and nothing else, and their links lead somewhere."""

import argparse
import re
from pathlib import Path

import pytest
import yaml

from pytest_mcpbench import __version__
from pytest_mcpbench.cli import command_line
from pytest_mcpbench.core.conditions import Conditions
from pytest_mcpbench.definitions.compatibility_rules import RULES
from pytest_mcpbench.definitions.lint.rules import RULES as LINT_RULES
from pytest_mcpbench.metrics.catalogue import BUILT_IN
from pytest_mcpbench.options import settings as options
from pytest_mcpbench.options.option import Option
from pytest_mcpbench.plugin import fixtures
from pytest_mcpbench.reporting.page.sections.glossary import TERMS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted((*DOCS.glob("[a-z]*/**/*.md"), DOCS / "index.md", *ROOT.glob("*.md")))
PACKAGE = ROOT / "pytest_mcpbench"
ROOMS = sorted(page.parent for page in PACKAGE.glob("*/__init__.py"))
REFERENCE = {page.stem: page.read_text(encoding="utf-8") for page in (DOCS / "reference").glob("*.md")}
_LINK = re.compile(r"\[[^\]]*\]\((?!https?://)([^)#\s]*)(?:#([^)\s]*))?\)")
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_INTERNAL = {"mcp_item", "mcp_job", "mcp_session"}


def text_of(page: Path) -> str:
    """The page without its examples, whose lines are empty."""
    text = page.read_text(encoding="utf-8")
    return _FENCED.sub(lambda example: "\n" * example[0].count("\n"), text)


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def is_dead(path: str, anchor: str, page: Path) -> bool:
    target = page.parent / path if path else page
    return not target.exists() or bool(anchor and anchor not in anchors(target))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_to_a_page_and_heading(page: Path) -> None:
    """``.ci/site`` checks the pages of the site too; this is quicker, and checks those that GitHub shows."""
    dead = [
        f"{page.relative_to(ROOT)}:{number}: {link[0]}"
        for number, line in enumerate(text_of(page).splitlines(), 1)
        for link in _LINK.finditer(line)
        if is_dead(link[1], link[2], page)
    ]
    assert dead == []


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_a_room_says_where_its_changes_go_by_paths_that_exist_once_a_row(room: Path) -> None:
    rows = [row for row in (room / "README.md").read_text(encoding="utf-8").splitlines() if row.startswith("| ")]
    assert [
        path
        for paths in map(_paths_in, rows)
        for path in paths
        if paths.count(path) > 1 or not any(list(root.glob(path)) for root in (PACKAGE, ROOT))
    ] == []


def _paths_in(row: str) -> list[str]:
    """Return the paths in backticks, as patterns: ``metrics/<name>.py`` stands for any module of the room."""
    quoted = (re.sub(r"<\w+>", "*", word) for word in re.findall(r"`([^`\s]+)`", row))
    return [word.rstrip("/") for word in quoted if re.fullmatch(r"[\w.*-]+/[\w./*-]*|[\w*-]+\.py", word)]


def test_the_path_of_an_attempt_consists_of_files_that_exist() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = page.partition("## The path of an attempt")[2].partition("\n## ")[0].splitlines()
    paths = [path for row in rows for path in _paths_in(row)]
    assert len(paths) > 20
    assert [path for path in paths if not (PACKAGE / path).is_file()] == []


def test_the_architecture_names_each_room_with_its_page() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"\[`(\w+)`\]\(pytest_mcpbench/\1/README\.md\)", page)) == [room.name for room in ROOMS]


def test_the_page_of_options_shows_each_option_once() -> None:
    shown = re.findall(r"^:::\{mcpbench-option\} (.*)$", REFERENCE["options"], re.MULTILINE)
    assert sorted(shown) == sorted(option.name for option in options.ALL_OPTIONS)


@pytest.mark.parametrize("option", options.ALL_OPTIONS, ids=lambda option: option.name)
def test_the_help_says_which_options_can_be_repeated(option: Option) -> None:
    assert ("(repeatable)" in option.help) == (option.type == "args")


def test_each_condition_of_suites_stands_on_their_page_with_its_option() -> None:
    shown = dict(re.findall(r"^\| `(\w+)` \| `--mcpbench-([\w-]+)` \|", REFERENCE["suite-toml"], re.MULTILINE))
    assert shown == {str(option.condition): option.name for option in options.CONDITIONS}
    rows = re.findall(r"^\| (`.+`) \| (?:`--mcpbench-[\w-]+`|–) \|", REFERENCE["suite-toml"], re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == set(Conditions.model_fields)


def commands() -> dict[str, argparse.ArgumentParser]:
    return {name: command_line.command_parser(name) for name in command_line.COMMANDS}


@pytest.mark.parametrize("name", commands())
def test_each_command_stands_on_its_page_with_its_options(name: str) -> None:
    sections = dict(re.findall(r"^## `mcpbench ([\w-]+)(.*?)(?=^## |\Z)", REFERENCE["cli"], re.MULTILINE | re.DOTALL))
    own = commands()[name]._option_string_actions.keys() - {"-h", "--help", "--verbose"}
    shown = set(re.findall(r"(?<=[ `(])--?[a-z][\w-]*", _FENCED.sub("", sections[name])))
    assert set(sections) == set(commands())
    assert own - shown == set()


def test_each_fixture_stands_on_a_page() -> None:
    made = {
        name
        for module in (fixtures, fixtures, fixtures)
        for name, value in vars(module).items()
        if isinstance(value, pytest.FixtureDef | type(fixtures.mcp_task))
    }
    rows = re.findall(r"^\| (.*?) \| ", (DOCS / "how-to" / "write-tests.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == made - _INTERNAL


def test_each_metric_stands_on_a_page() -> None:
    pages = (page.read_text(encoding="utf-8") for page in (DOCS / "reference" / "metrics").glob("*.md"))
    assert set(BUILT_IN) - {word for page in pages for word in re.findall(r"\w+", page)} == set()


def test_the_page_of_lock_files_has_every_rule_with_its_verdicts() -> None:
    rows = [row.strip("| ").split(" | ") for row in REFERENCE["lock"].splitlines() if row.startswith("| `")]
    shown = {
        **{f"input-{row[0].strip('`')}": row[1] for row in rows if len(row) == 4},
        **{f"output-{row[0].strip('`')}": row[2] for row in rows if len(row) == 4},
        **{row[0].strip("`"): row[1] for row in rows if row[0].strip("`") in RULES},
    }
    assert shown == {rule.id: rule.verdict for rule in RULES.values()}


def test_the_page_of_lint_has_every_rule() -> None:
    rows = [row.strip("| ").split(" | ") for row in REFERENCE["lint"].splitlines() if row.startswith("| MCPB")]
    assert rows == [
        [rule.id, f"`{rule.name}`", rule.summary, rule.evidence + ", *strict*" * rule.is_strict]
        for rule in LINT_RULES.values()
    ]


def test_a_term_means_the_same_on_the_page_of_a_report_as_in_the_glossary() -> None:
    documented = dict(re.findall(r"^\| \*\*(.+?)\*\* \| (.+?) \|$", REFERENCE["glossary"], re.MULTILINE))
    assert {term: documented.get(term) for term in TERMS} == TERMS


def test_changelog_and_citation_are_about_this_version() -> None:
    (newest, *_) = re.findall(r"^## ([\d.]+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (newest, citation["version"]) == (__version__, __version__)
