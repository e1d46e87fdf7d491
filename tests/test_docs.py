"""The pages name what there is, all of it and nothing else, and their links lead somewhere."""

import argparse
import inspect
import re
from pathlib import Path

import pytest

from pytest_mcpbench.cli import command_line
from pytest_mcpbench.core.conditions import Conditions
from pytest_mcpbench.definitions.compatibility_rules import RULES
from pytest_mcpbench.definitions.lint.rules import RULES as LINT_RULES
from pytest_mcpbench.metrics.catalogue import BUILT_IN
from pytest_mcpbench.plugin import hookspecs
from pytest_mcpbench.plugin.execution import direct_calls, fixtures
from pytest_mcpbench.plugin.options import settings as options
from pytest_mcpbench.plugin.options.option import Option
from pytest_mcpbench.plugin.output import snapshots
from pytest_mcpbench.reporting.sections.glossary import TERMS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted((*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "ARCHITECTURE.md"))
REFERENCE = {page.stem: page.read_text(encoding="utf-8") for page in (DOCS / "reference").glob("*.md")}
_LINK = re.compile(r"\[[^\]]*\]\((?!https?://)([^)#\s]*)(?:#([^)\s]*))?\)")
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_INTERNAL = {"mcp_job", "mcp_session"}


def text_of(page: Path) -> str:
    """The page without its examples."""
    return _FENCED.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def is_dead(link: tuple[str, str], page: Path) -> bool:
    path, anchor = link
    target = page.parent / path if path else page
    return not target.exists() or bool(anchor and anchor not in anchors(target))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_to_a_page_and_heading(page: Path) -> None:
    assert [link for link in _LINK.findall(text_of(page)) if is_dead(link, page)] == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        linked = ((page.parent / path).resolve() for path, _ in _LINK.findall(text_of(page)) if path)
        for target in linked:
            waiting.extend(target.glob("*.md") if target.is_dir() else [target])
    assert set(PAGES) - reached == set()


def option_rows() -> dict[str, tuple[str, str]]:
    """Return the value and the text of each option on the page of options."""
    rows = re.findall(r"^\| (`--.*?) \| (.*) \|$", REFERENCE["options"], re.MULTILINE)
    return {
        name: (value.replace("\\|", "|"), text)
        for cell, text in rows
        for name, value in re.findall(r"`(--[\w-]+) ?(.*?)`", cell)
    }


def test_the_page_of_options_has_each_option_with_its_value() -> None:
    expected = {
        f"--{option.name}" if option.is_short else f"--mcpbench-{option.name}": option.value_name
        for option in options.ALL_OPTIONS
    }
    assert {name: value for name, (value, _) in option_rows().items()} == expected


@pytest.mark.parametrize("option", options.ALL_OPTIONS, ids=lambda option: option.name)
def test_the_page_and_the_help_say_which_options_can_be_repeated(option: Option) -> None:
    _, text = option_rows()[f"--{option.name}" if option.is_short else f"--mcpbench-{option.name}"]
    assert ("repeatable" in text) == ("(repeatable)" in option.help) == (option.type == "args")


def test_each_condition_of_suites_stands_on_their_page_with_its_option() -> None:
    shown = dict(re.findall(r"^\| `(\w+)` \| `--mcpbench-([\w-]+)` \|", REFERENCE["suite-toml"], re.MULTILINE))
    assert shown == {str(option.condition): option.name for option in options.CONDITIONS}
    assert set(shown) == set(Conditions.model_fields)


def commands() -> dict[str, argparse.ArgumentParser]:
    return {name: command_line.command_parser(name) for name in command_line.COMMANDS}


@pytest.mark.parametrize("name", commands())
def test_each_command_stands_on_its_page_with_its_options(name: str) -> None:
    sections = dict(re.findall(r"^## `mcpbench ([\w-]+)(.*?)(?=^## |\Z)", REFERENCE["cli"], re.MULTILINE | re.DOTALL))
    own = commands()[name]._option_string_actions.keys() - {"-h", "--help", "--verbose"}
    shown = set(re.findall(r"(?<=[ `(])--?[a-z][\w-]*", _FENCED.sub("", sections[name])))
    assert set(sections) == set(commands())
    assert own - shown == set()


def test_each_hook_stands_on_its_page_with_its_parameters() -> None:
    shown = re.findall(r"^\| `(pytest_mcpbench_\w+)\((.*?)\)` \|", REFERENCE["fixtures-and-hooks"], re.MULTILINE)
    hooks = inspect.getmembers(hookspecs, inspect.isfunction)
    assert dict(shown) == {name: ", ".join(inspect.signature(hook).parameters) for name, hook in hooks}


def test_each_fixture_stands_on_a_page() -> None:
    made = {
        name
        for module in (direct_calls, fixtures, snapshots)
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
    assert rows == [[rule.id, f"`{rule.name}`", rule.summary, rule.evidence] for rule in LINT_RULES.values()]


def test_a_term_means_the_same_on_the_page_of_a_report_as_in_the_glossary() -> None:
    documented = dict(re.findall(r"^\| \*\*(.+?)\*\* \| (.+?) \|$", REFERENCE["glossary"], re.MULTILINE))
    assert {term: documented.get(term) for term in TERMS} == TERMS
