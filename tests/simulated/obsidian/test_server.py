import json
from typing import Any

import pytest

from pytest_mcpbench.simulated.cast import CAST
from pytest_mcpbench.simulated.obsidian.seed import seed
from pytest_mcpbench.simulated.obsidian.server import SIMULATION
from tests.shared_data import shared_file
from tests.simulated.service import Service, parameters

MADE = ("Daily", "Meetings", "Monthly", "People", "Projects", "Weekly")
WRITTEN = ("Choir", "Home", "Inbox", "Travel", "Work")
PROJECT = "Projects/Lantern onboarding.md"
CAUGHT = "Caught Exception. Error: "
NOT_FOUND = f"{CAUGHT}Error 40400: Not Found"
ONLY_FILES = f"{CAUGHT}Error 40510: Request method is valid only for file paths, not directories."


@pytest.fixture
def vault() -> Service:
    return Service(SIMULATION)


def text(vault: Service, path: str) -> str:
    return str(json.loads(vault.call("obsidian_get_file_contents", filepath=path)))


def names(vault: Service, directory: str) -> Any:
    return json.loads(vault.call("obsidian_list_files_in_dir", dirpath=directory))


def test_the_parameters_are_those_of_the_real_server() -> None:
    assert parameters(SIMULATION) == {
        "obsidian_append_content": {"filepath*", "content*"},
        "obsidian_batch_get_file_contents": {"filepaths*"},
        "obsidian_delete_file": {"filepath*", "confirm*"},
        "obsidian_get_file_contents": {"filepath*"},
        "obsidian_get_periodic_note": {"period*", "type"},
        "obsidian_get_recent_periodic_notes": {"period*", "limit", "include_content"},
        "obsidian_list_files_in_dir": {"dirpath*"},
        "obsidian_list_files_in_vault": set(),
        "obsidian_patch_content": {"filepath*", "operation*", "target_type*", "target*", "content*"},
        "obsidian_simple_search": {"query*", "context_length"},
    }


def test_directories_end_with_a_slash(vault: Service) -> None:
    root = json.loads(vault.call("obsidian_list_files_in_vault"))
    assert root == [f"{name}/" for name in sorted((*MADE, *WRITTEN))]
    assert names(vault, "Projects/") == names(vault, "Projects")
    assert f"{CAST.projects[0].name}.md" in names(vault, "Projects")


def test_a_search_shows_the_words_where_they_stand(vault: Service) -> None:
    found = json.loads(vault.call("obsidian_simple_search", query="peanuts", context_length=13))
    assert found
    for each in found:
        content = text(vault, each["filename"])
        (match,) = each["matches"]
        start, end = match["match_position"]["start"], match["match_position"]["end"]
        assert content[start:end] == "peanuts"
        assert match["context"] == content[start - 13 : end + 13]
    assert [each["score"] for each in found] == sorted(each["score"] for each in found)
    assert json.loads(vault.call("obsidian_simple_search", query="peanuts unfindable")) == []


def test_text_is_appended_on_a_line_of_its_own(vault: Service) -> None:
    for line in ("# New", "one"):
        assert vault.call("obsidian_append_content", filepath="In/box.md", content=line) == (
            "Successfully appended content to In/box.md"
        )
    assert text(vault, "In/box.md") == "# New\none"
    (change,) = vault.changes()
    assert (change.kind, change.path) == ("created", "notes[In/box.md]")


@pytest.mark.parametrize(
    ("operation", "kind", "target", "content", "expected"),
    [
        ("append", "heading", "Plan", "c\n", "---\nkey: old\n---\n# Plan\n\na\n\n## Sub\n\nb ^here\nc\n\n# Other\n"),
        ("append", "heading", "Plan::Sub", "c", "---\nkey: old\n---\n# Plan\n\na\n\n## Sub\n\nb ^here\nc\n\n# Other\n"),
        ("prepend", "heading", "Sub", "c", "---\nkey: old\n---\n# Plan\n\na\n\n## Sub\nc\n\nb ^here\n\n# Other\n"),
        ("replace", "heading", "Sub", "c", "---\nkey: old\n---\n# Plan\n\na\n\n## Sub\nc\n\n# Other\n"),
        ("append", "heading", "Other", "c", "---\nkey: old\n---\n# Plan\n\na\n\n## Sub\n\nb ^here\n\n# Other\nc\n"),
        ("append", "block", "here", "!", "---\nkey: old\n---\n# Plan\n\na\n\n## Sub\n\nb! ^here\n\n# Other\n"),
        ("replace", "block", "^here", "x", "---\nkey: old\n---\n# Plan\n\na\n\n## Sub\n\nx ^here\n\n# Other\n"),
        ("replace", "frontmatter", "key", "new", "---\nkey: new\n---\n# Plan\n\na\n\n## Sub\n\nb ^here\n\n# Other\n"),
        ("append", "frontmatter", "key", "er", "---\nkey: older\n---\n# Plan\n\na\n\n## Sub\n\nb ^here\n\n# Other\n"),
    ],
)
def test_a_part_of_a_note_is_changed(operation: str, kind: str, target: str, content: str, expected: str) -> None:
    before = "---\nkey: old\n---\n# Plan\n\na\n\n## Sub\n\nb ^here\n\n# Other\n"
    vault = Service(SIMULATION, seed={"notes": {"a.md": {"relative_path": "a.md", "content": before}}})
    place = {"operation": operation, "target_type": kind, "target": target}
    answer = vault.call("obsidian_patch_content", filepath="a.md", **place, content=content)
    assert answer == "Successfully patched content in a.md"
    assert text(vault, "a.md") == expected
    assert [each.after["modified_time"] for each in vault.changes()] == ["2026-03-02T09:00:00Z"]


def test_a_note_is_deleted_with_a_confirmation_only(vault: Service) -> None:
    refused = vault.refusal("obsidian_delete_file", filepath=PROJECT, confirm=False)
    assert refused == f"{CAUGHT}confirm must be set to true to delete a file"
    assert vault.changes() == ()
    assert vault.call("obsidian_delete_file", filepath=PROJECT, confirm=True) == f"Successfully deleted {PROJECT}"
    assert [(each.kind, each.path) for each in vault.changes()] == [("deleted", f"notes[{PROJECT}]")]


def test_several_notes_are_read_at_once(vault: Service) -> None:
    found = vault.call("obsidian_batch_get_file_contents", filepaths=["no.md", "Weekly/2026-W10.md"])
    assert found.startswith(
        "# no.md\n\nError reading file: Error 40400: Not Found\n\n---\n\n# Weekly/2026-W10.md\n\n# "
    )


def test_the_note_of_today_is_that_of_the_frozen_clock(vault: Service) -> None:
    assert vault.call("obsidian_get_periodic_note", period="daily").startswith("# 2026-03-02\n")
    note = json.loads(vault.call("obsidian_get_periodic_note", period="weekly", type="metadata"))
    assert (note["path"], note["stat"]["size"]) == ("Weekly/2026-W10.md", len(note["content"].encode()))
    recent = json.loads(vault.call("obsidian_get_recent_periodic_notes", period="daily", limit=2))
    assert [each["path"] for each in recent] == ["Daily/2026-03-02.md", "Daily/2026-03-01.md"]
    (with_content,) = json.loads(
        vault.call("obsidian_get_recent_periodic_notes", period="monthly", limit=1, include_content=True)
    )
    assert with_content["content"].startswith("# 2026-03\n")


@pytest.mark.parametrize(
    ("kind", "target", "reason"),
    [
        (
            "heading",
            "Nothing",
            "Error 40080: The patch you provided could not be applied to the target content.\ninvalid-target",
        ),
        (
            "block",
            "nothing",
            "Error 40080: The patch you provided could not be applied to the target content.\ninvalid-target",
        ),
        (
            "frontmatter",
            "budget",
            "Error 40080: The patch you provided could not be applied to the target content.\ncontent-not-mergeable",
        ),
        (
            "heading",
            "Log",
            "Ambiguous heading 'Log'. Candidates: A::Log, B::Log. Specify the qualified path with '::' delimiter.",
        ),
    ],
)
def test_a_target_that_is_not_there_is_an_error(kind: str, target: str, reason: str) -> None:
    content = "---\nbudget: 5\n---\n# A\n## Log\n# B\n## Log\n```\n# Nothing\n```\n"
    vault = Service(SIMULATION, seed={"notes": {"a.md": {"relative_path": "a.md", "content": content}}})
    place = {"operation": "append", "target_type": kind, "target": target}
    assert vault.refusal("obsidian_patch_content", filepath="a.md", **place, content="x") == CAUGHT + reason


def test_a_day_without_a_note_has_none() -> None:
    notes = {path: each for path, each in seed()["notes"].items() if not path.endswith("2026-03-02.md")}
    vault = Service(SIMULATION, seed={"notes": notes})
    refused = vault.refusal("obsidian_get_periodic_note", period="daily")
    assert refused == f"{CAUGHT}Error 40461: Periodic note does not exist for the specified period."


@pytest.mark.parametrize(
    ("record", "note", "periodic"), [(1, "2022-12-04.md", "2022-12-04"), (2, "2024-07-16.md", "2024-07-16")]
)
def test_contexts_of_mcp_persona_are_taken_over(record: int, note: str, periodic: str) -> None:
    records = json.loads(shared_file("persona/persona_tasks_reduced.json").read_text())
    contexts = {each["id"]: each["data"] for each in records[record]["sampled_contexts"]["obsidian"]}
    vault = Service(SIMULATION, seed=contexts)
    assert json.loads(vault.call("obsidian_list_files_in_vault")) == [note]
    (recent,) = json.loads(vault.call("obsidian_get_recent_periodic_notes", period="daily"))
    assert (recent["path"], vault.tree.get(f"notes[{note}].periodic.period_key")) == (note, periodic)
    vault.call("obsidian_append_content", filepath=note, content="x")
    assert [(each.kind, each.path) for each in vault.changes()] == [("updated", f"notes[{note}]")]
