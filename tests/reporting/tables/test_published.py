"""Results of publications stand beside those of a run, marked as theirs."""

from pathlib import Path

from pytest_mcpbench.loaders.manifest import read_manifest
from pytest_mcpbench.reporting.tables.published import published_table
from pytest_mcpbench.reporting.tables.report_tables import main_tables
from pytest_mcpbench.suite_files.discovery import shipped_directory
from tests.reporting.samples import a_report, scored

PAPER = {"source": "A paper, Table 2", "results": {"theirs": 0.4, "others": 0.9}}
RUN = [scored(f"t{n}", float(n < 2), model="ours", tags={"category": "map" if n else "pay"}) for n in range(4)]


def published(**fields: object) -> list[tuple[str, ...]]:
    facts = {"suites": {"s": {"published": [{"metric": "passed", "tags": {}, **PAPER, **fields}]}}}
    return list(published_table(a_report(*RUN, facts=facts)).rows)


def test_published_results_are_marked_and_sorted_with_ours() -> None:
    assert published() == [
        ("s", "passed", "others", "A paper, Table 2", "90.0 %", ""),
        ("s", "passed", "ours", "this run", "50.0 %", "4"),
        ("s", "passed", "theirs", "A paper, Table 2", "40.0 %", ""),
    ]


def test_a_model_that_attempted_a_part_of_the_tasks_is_not_compared_with_a_publication() -> None:
    facts = {
        "suites": {"s": {"published": [{"metric": "passed", "tags": {}, **PAPER}]}},
        "contents": {"s": {"tasks": [f"t{n}" for n in range(4)]}},
    }
    part = [entry.model_copy(update={"model": "part"}) for entry in RUN[:3]]
    rows = published_table(a_report(*RUN, *part, facts=facts)).rows
    assert [row[2] for row in rows] == ["others", "ours", "theirs"]
    assert published_table(a_report(*part, facts=facts)).rows == ()


def test_results_of_a_category_stand_beside_those_of_its_tasks() -> None:
    ours = [row for row in published(metric="ast", tags={"category": "map"}) if "this run" in row]
    assert ours == [("s", "ast", "map", "ours", "this run", "0.333", "3")]


def test_a_run_of_the_suites_own_tasks_has_no_such_table() -> None:
    titles = [table.title for table in main_tables(a_report(*RUN, facts={"suites": {"s": {}}}))]
    assert "Published results" not in titles


def test_a_suite_states_published_results_for_the_public_files_alone(tmp_path: Path) -> None:
    file = shipped_directory() / "atlas" / "suite.toml"
    text = file.read_text(encoding="utf-8")
    assert read_manifest(text, file, {}).published == ()
    (tmp_path / "tasks.csv").touch()
    (public,) = read_manifest(text, file, {}, data=tmp_path).published
    assert (public.metric, public.results["GPT-5"]) == ("passed", 0.445)
