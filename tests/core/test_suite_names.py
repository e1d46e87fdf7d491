"""Suites of one name in different files are told apart, in short where one name is enough."""

from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.report import Entry, with_distinct_suites
from pytest_mcpbench.core.suite import distinct_names


def an_entry(node_id: str, test: str | None = None) -> Entry:
    record = RunRecord(suite="s", task_id="t", task_hash="", model="m", outcome="passed", node_id=node_id, test=test)
    return Entry.of(record)


def test_a_name_is_qualified_only_if_several_files_have_it() -> None:
    suites = [("mail", "a/mail.yaml"), ("mail", "b/mail.yaml"), ("radar", "suites/radar/suite.toml")]
    assert list(distinct_names(suites).values()) == ["mail (a/mail.yaml)", "mail (b/mail.yaml)", "radar"]
    assert list(distinct_names(suites[1:]).values()) == ["mail", "radar"]


def test_tasks_of_files_of_one_name_are_not_trials_of_one_another() -> None:
    entries = [
        an_entry("a/s.yaml::t[m]"),
        an_entry("b/s.yaml::t[m]"),
        an_entry("test_x.py::test[t-m]", "test_x.py::test"),
    ]
    assert len({entry.attempt for entry in entries}) == 3
    named = with_distinct_suites(entries)
    assert [entry.series for entry in named] == ["s (a/s.yaml)", "s (b/s.yaml)", "s (test_x.py::test)"]
    assert with_distinct_suites(named) == named
    assert [entry.suite for entry in with_distinct_suites(named[:1])] == ["s"]
