"""Public records that several files repeat."""

from pytest_mcpbench.core.errors import SourceLocation
from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.suite_files.public_data import first_of_each
from tests.builders import a_task, expected_call


def _record(file: str, task_id: str, ask: str) -> LoadedTask:
    task = a_task((expected_call("look"),), id=task_id, ask=ask)
    return LoadedTask(SourceLocation(file), id=task_id, task=task)


def test_a_collection_of_all_files_is_counted_in_one_warning() -> None:
    splits = [_record("single.json", f"single-{number}", f"Ask {number}.") for number in range(3)]
    everything = [_record("all.json", f"all-{number}", f"Ask {number}.") for number in range(4)]

    records = list(first_of_each([*splits, *everything]))
    assert [record.id for record in records] == ["single-0", "single-1", "single-2", "all-3"]
    assert [record.warnings for record in records] == [
        ("3 records of all.json repeat tasks of other files and were left out",),
        (),
        (),
        (),
    ]


def test_equal_tasks_of_one_file_are_different_tasks() -> None:
    records = [_record("one.json", "a", "Ask."), _record("one.json", "b", "Ask.")]
    assert [record.id for record in first_of_each(records)] == ["a", "b"]
