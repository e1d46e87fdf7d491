import hashlib
import os
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.attempt.sandbox import TEXT_LIMIT_BYTES, open_empty_sandbox, open_sandbox, snapshot
from pytest_mcpbench.core.errors import SandboxError
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.task import Context, Expected, StateCheck
from pytest_mcpbench.core.world import Change, Observation, WorldRecord
from tests.builders import a_task


def file(text: str) -> dict[str, Any]:
    return {"size": len(text.encode()), "sha256": hashlib.sha256(text.encode()).hexdigest(), "text": text}


def execute(database: Path, *statements: str) -> None:
    with closing(sqlite3.connect(database)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Return a suite with a directory of files and a database for its tasks."""
    files = tmp_path / "suite" / "files"
    (files / "docs").mkdir(parents=True)
    (files / "docs" / "a.txt").write_text("alpha")
    (files / "b.txt").write_text("beta")
    execute(
        files / "shop.db",
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT)",
        "CREATE TABLE notes (text TEXT)",
        "INSERT INTO orders VALUES (1, 'Ann'), (2, 'Bo')",
        "INSERT INTO notes VALUES ('hello')",
    )
    return tmp_path / "suite"


def changes(sandbox: Sandbox) -> list[tuple[str, str]]:
    (files,) = sandbox.diff()
    assert files.name == "files"
    return [(change.kind, change.path) for change in files.changes]


def test_a_sandbox_has_a_directory_of_its_own_that_is_removed(tmp_path: Path) -> None:
    with open_sandbox(a_task(), tmp_path, tmp_path / "root") as one, open_sandbox(a_task(), tmp_path) as two:
        (one.path / "x").write_text("x")
        assert one.path.parent == tmp_path / "root"
        assert list(two.path.iterdir()) == []
    assert not one.path.exists()
    assert not two.path.exists()


def test_the_directory_is_removed_when_an_attempt_crashes(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), open_sandbox(a_task(), tmp_path) as sandbox:
        raise ZeroDivisionError
    assert not sandbox.path.exists()


def test_the_directory_is_made_when_something_asks_for_it_and_not_after_the_attempt(tmp_path: Path) -> None:
    with open_sandbox(a_task(), tmp_path, tmp_path / "root") as one, open_sandbox(a_task(), tmp_path) as two:
        assert not one.location.exists()
        assert one.portable(Context(now=str(one.location))).now == str(one.location)
        assert one.world("notes").path.is_dir()
        assert one.portable(Context(now=str(one.location))).now == "{sandbox}"
        assert changes(one) == []
    assert not two.path.exists()


def test_a_directory_that_cannot_be_made_is_an_error_of_the_attempt_whoever_asks_first(tmp_path: Path) -> None:
    (tmp_path / "root").write_text("a file")
    with open_sandbox(a_task(), tmp_path, tmp_path / "root") as sandbox:
        with pytest.raises(SandboxError, match="cannot be made"):
            print(sandbox.world("notes").path)
        with pytest.raises(SandboxError, match="cannot be made"):
            sandbox.diff()


@pytest.mark.parametrize("context", [Context(files={"a": "b"}), Context(seeds={"notes": {"at": "{sandbox}/x"}})])
def test_the_directory_of_a_task_that_names_it_is_made_at_once(tmp_path: Path, context: Context) -> None:
    with open_sandbox(a_task(context=context), tmp_path) as sandbox:
        assert sandbox.location.is_dir()


def test_the_files_of_the_task_are_copied_in_and_the_originals_stay(suite: Path) -> None:
    task = a_task(context=Context(files="files"))
    with open_sandbox(task, suite) as sandbox:
        (sandbox.path / "b.txt").write_text("changed")
        (sandbox.path / "docs" / "a.txt").unlink()
        (sandbox.path / "docs" / "new [1].txt").write_text("new")
        assert sandbox.diff() == (
            WorldRecord(
                name="files",
                changes=(
                    Change(kind="updated", collection="files", id="b.txt", before=file("beta"), after=file("changed")),
                    Change(kind="deleted", collection="files", id="docs/a.txt", before=file("alpha")),
                    Change(kind="created", collection="files", id="docs/new [1].txt", after=file("new")),
                ),
            ),
        )
    assert (suite / "files" / "b.txt").read_text() == "beta"


def test_rows_of_a_database_are_changes_of_their_own(suite: Path) -> None:
    with open_sandbox(a_task(context=Context(files="files")), suite) as sandbox:
        execute(
            sandbox.path / "shop.db",
            "UPDATE orders SET customer = 'Cy' WHERE id = 2",
            "DELETE FROM orders WHERE id = 1",
            "INSERT INTO notes VALUES ('bye')",
        )
        rows = "databases[shop.db].tables"
        assert changes(sandbox) == [
            ("created", f"{rows}[notes].rows[2]"),
            ("deleted", f"{rows}[orders].rows[1]"),
            ("updated", f"{rows}[orders].rows[2]"),
        ]


def test_a_change_that_keeps_size_and_time_of_a_file_is_seen(suite: Path) -> None:
    with open_sandbox(a_task(context=Context(files="files")), suite) as sandbox:
        changed = sandbox.path / "b.txt"
        modified_ns = changed.stat().st_mtime_ns
        changed_ns = max(path.stat().st_ctime_ns for path in sandbox.path.rglob("*"))
        while time.time_ns() < changed_ns + 200_000_000:  # until times tell of changes
            time.sleep(0.01)
        sandbox.start()
        assert changes(sandbox) == []
        changed.write_text("BETA")
        os.utime(changed, ns=(modified_ns, modified_ns))
        assert changes(sandbox) == [("updated", "files[b.txt]")]


def test_checks_lead_into_files_and_rows(suite: Path) -> None:
    checks = (
        StateCheck(equals="files[docs/a.txt].text", value="alpha", world="files"),
        StateCheck(equals="databases[shop.db].tables[orders].rows[2].customer", value="Bo"),
    )
    task = a_task(context=Context(files="files"), expected=Expected(state=checks))
    with open_sandbox(task, suite) as sandbox:
        assert sandbox.diff()[0].observations == (
            Observation(
                path="files[docs/a.txt].text", resolved=("files[docs/a.txt].text",), before="alpha", after="alpha"
            ),
            Observation(
                path="databases[shop.db].tables[orders].rows[2].customer",
                resolved=("databases[shop.db].tables[orders].rows[2].customer",),
                before="Bo",
                after="Bo",
            ),
        )


def test_a_database_in_use_is_read_without_its_companions_becoming_files(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "live.sqlite")) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE t (a, b, PRIMARY KEY (a, b))")
        connection.execute("INSERT INTO t VALUES (1, x'00ff')")
        connection.commit()
        tree = snapshot(tmp_path).to_json()
    blob = {"size": 2, "sha256": hashlib.sha256(b"\x00\xff").hexdigest()}
    (row,) = tree["databases"]["live.sqlite"]["tables"]["t"]["rows"].values()
    assert tree["files"] == {}
    assert row == {"a": 1, "b": blob}


def test_a_snapshot_names_what_is_no_plain_text_file(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    (tmp_path / "long.txt").write_text("x" * (TEXT_LIMIT_BYTES + 1))
    (tmp_path / "link").symlink_to("/etc/passwd")
    (tmp_path / "fake.db").write_text("no database")
    files = snapshot(tmp_path).to_json()["files"]
    assert files["empty"] == {"directory": True}
    assert files["link"] == {"link": "/etc/passwd"}
    assert files["fake.db"] == file("no database")
    assert set(files["binary"]) == set(files["long.txt"]) == {"size", "sha256"}


def test_of_a_directory_that_a_server_has_removed_nothing_is_left(tmp_path: Path) -> None:
    assert snapshot(tmp_path / "gone").to_json() == snapshot(tmp_path).to_json()


@pytest.mark.skipif(not os.supports_dir_fd, reason="needs paths that are longer than a call takes")
def test_a_directory_that_no_path_reaches_is_an_error_that_says_so(tmp_path: Path) -> None:
    with open_empty_sandbox(tmp_path) as sandbox:
        open_directories = [os.open(sandbox.path, os.O_RDONLY)]
        for _ in range(30):
            os.mkdir("d" * 200, dir_fd=open_directories[-1])
            open_directories.append(os.open("d" * 200, os.O_RDONLY, dir_fd=open_directories[-1]))
        assert sandbox.files is not None
        with pytest.raises(SandboxError, match="the attempt's directory cannot be read: File name too long"):
            sandbox.files.after()
        for each in open_directories:
            os.close(each)
    assert not list(tmp_path.iterdir())


def test_a_file_that_vanishes_while_a_directory_is_read_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stays.txt").write_text("a")
    (tmp_path / "vanishes.txt").write_text("b")
    listed = sorted(tmp_path.iterdir())
    (tmp_path / "vanishes.txt").unlink()
    monkeypatch.setattr(Path, "rglob", lambda *_: listed)
    monkeypatch.setattr(Path, "is_file", lambda _: True)
    assert list(snapshot(tmp_path).to_json()["files"]) == ["stays.txt"]


def test_files_can_stand_in_the_task_and_be_the_first_commit_of_a_repository(tmp_path: Path) -> None:
    task = a_task(context=Context(files={"docs/a.txt": "alpha"}, git=True))
    commits = []
    for _ in range(2):
        with open_sandbox(task, tmp_path) as sandbox:
            assert (sandbox.path / "docs" / "a.txt").read_text() == "alpha"
            assert (sandbox.path / ".git" / "HEAD").read_text() == "ref: refs/heads/main\n"
            commits.append((sandbox.path / ".git" / "refs" / "heads" / "main").read_text())
            (sandbox.path / ".git" / "refs" / "heads" / "idea").write_text(commits[-1])
            (sandbox.path / "b.txt").write_text("beta")
            ((files,),) = [[each.changes for each in sandbox.diff() if each.name == "files"]]
            assert [(each.kind, each.path) for each in files] == [("created", "files[b.txt]")]
    assert len(set(commits)) == 1
    assert task.hash != a_task(context=Context(files={"docs/a.txt": "alpha"})).hash


def test_a_repository_can_have_a_history_over_which_files_are_written_as_changes(tmp_path: Path) -> None:
    commits = [
        ("<ann@example.org> 1767225600 +0000", "Begin", "alpha"),
        ("<bo@example.org> 1767312000 +0000", "Go on", "beta"),
    ]
    stream = "".join(
        f"commit refs/heads/main\ncommitter {who}\ndata {len(message)}\n{message}\n"
        f"M 100644 inline a.txt\ndata {len(text)}\n{text}\n"
        for who, message, text in commits
    )
    (tmp_path / "history").write_text(stream)
    task = a_task(context=Context(files={"b.txt": "gamma"}, git="history"))
    with open_sandbox(task, tmp_path) as sandbox:
        assert (sandbox.path / "a.txt").read_text() == "beta"
        log = subprocess.run(["git", "log", "--format=%s by %ae"], cwd=sandbox.path, capture_output=True, text=True)
        status = subprocess.run(["git", "status", "--short"], cwd=sandbox.path, capture_output=True, text=True)
    assert log.stdout.splitlines() == ["Go on by bo@example.org", "Begin by ann@example.org"]
    assert status.stdout == "?? b.txt\n"
    (tmp_path / "history").write_text("nonsense")
    with pytest.raises(SandboxError, match="git fast-import failed"), open_sandbox(task, tmp_path):
        pass


@pytest.mark.parametrize("name", ["../a.txt", "/etc/a.txt", "docs/../../a.txt", "."])
def test_a_file_of_a_task_lies_in_the_directory_of_the_attempt(name: str) -> None:
    with pytest.raises(ValueError, match=r"write a relative path without"):
        Context(files={name: "alpha"})


def test_a_missing_directory_of_files_is_an_error_that_names_it(tmp_path: Path) -> None:
    task = a_task(context=Context(files="nowhere"))
    with pytest.raises(SandboxError) as caught, open_sandbox(task, tmp_path):
        pass
    assert str(caught.value) == f"task 'a-task': context.files names {tmp_path / 'nowhere'}, which is not a directory."


def test_a_task_sets_clock_seeds_and_ids(tmp_path: Path) -> None:
    task = a_task(context=Context(now="2026-05-01T10:00:00Z", seeds={"notes": {"notes": {}}}))
    with open_sandbox(task, tmp_path) as one, open_sandbox(task, tmp_path) as two:
        worlds = [sandbox.world("notes") for sandbox in (one, two)]
        keys = [world.tree().create("notes", {"at": world.now.isoformat()}) for world in worlds]
        assert keys[0] == keys[1]
        assert one.after["notes"] == two.after["notes"] == {"notes": {keys[0]: {"at": "2026-05-01T10:00:00+00:00"}}}


def test_a_broken_database_counts_as_a_file(suite: Path) -> None:
    with open_sandbox(a_task(context=Context(files="files")), suite) as sandbox:
        (sandbox.path / "shop.db").write_bytes(b"SQLite format 3\x00 and then nonsense")
        assert changes(sandbox) == [("created", "files[shop.db]"), ("deleted", "databases[shop.db]")]


def test_a_seed_names_the_directory(tmp_path: Path) -> None:
    task = a_task(context=Context(seeds={"s": {"roots": ["{sandbox}/a"]}}))
    with open_sandbox(task, tmp_path, tmp_path) as sandbox:
        assert sandbox.world("s").tree().to_json() == {"roots": [f"{sandbox.path}/a"]}
