"""Index of the attempts of runs that follows their records on disk, kept in temporary files."""

import hashlib
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any

from pytest_mcpbench.core.record import AttemptKey, RunRecord
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.core.suite_names import qualified_name
from pytest_mcpbench.reporting.page.attempt_blocks import key_of_given
from pytest_mcpbench.reporting.page.attempt_document import attempt_document, given_document, outcome_document
from pytest_mcpbench.reporting.page.attempt_index import FIELDS, SharedValues, index_row
from pytest_mcpbench.runtime.records import lost_records, read_facts, read_facts_now, read_gates, read_record
from pytest_mcpbench.runtime.run_lookup import run_names
from pytest_mcpbench.runtime.viewer.attempt_store import AttemptStore, StoredAttempt, sort_text
from pytest_mcpbench.runtime.viewer.notes import Note, NotesFile
from pytest_mcpbench.runtime.viewer.tail import RunTail, TailedRecord
from pytest_mcpbench.runtime.viewer.text_file import AttemptTexts, TextFile, search_words, strings_in

_SECONDS_BETWEEN_COMMITS = 1.0
_ROWS_OF_A_PIECE = 1000
Row = tuple[int, str, str]
SECONDS_BETWEEN_SCANS = 1.0


class RunIndex:
    """Index of the attempts of one or several runs.

    A thread follows the records. Only the tables of repeated values and the positions of texts are in memory; rows
    are in a database, and texts are in a file.
    """

    def __init__(self, directories: Sequence[Path], scratch: Path) -> None:
        self.directories = tuple(directories)
        self.notes = tuple(NotesFile(directory) for directory in directories)
        self.names = tuple(run_names(directories)[directory] for directory in directories)
        self._tails = [RunTail(directory) for directory in directories]
        self._suites: dict[int, frozenset[str]] = {}
        self._store = AttemptStore(scratch / "attempts.sqlite")
        self._texts = TextFile(scratch / "texts")
        self._shared = SharedValues()
        self._attempt_texts = AttemptTexts()
        self._given: dict[bytes, int] = {}
        self._seen_notes: list[tuple[Note, ...]] = [() for _ in directories]
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="mcpbench-view-index", daemon=True)
        self.is_complete = False
        """True if all records that were there at the beginning are in the index."""

    def start(self) -> None:
        """Begin to follow the records."""
        self._thread.start()

    def close(self) -> None:
        """Stop to follow the records."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()
        self._store.close()
        self._texts.close()

    def scan(self) -> None:
        """Take over all records and notes that are new."""
        committed, has_changes = monotonic(), False
        for run, tail in enumerate(self._tails):
            for tailed in tail.new_records():
                if self._stopping.is_set():
                    return
                self._put(run, tailed)
                has_changes = True
                if monotonic() - committed >= _SECONDS_BETWEEN_COMMITS:
                    self._commit()
                    committed, has_changes = monotonic(), False
        if self._touch_noted() or has_changes:
            self._commit()

    @property
    def version(self) -> int:
        """Return the number of the last change."""
        return self._store.version

    def count(self) -> int:
        """Return the number of attempts so far."""
        return self._store.count()

    def index_json(self, since: int = 0) -> Iterator[str]:
        """Yield the JSON of the index in pieces: all rows, or those that changed after a version."""
        version = self.version
        notes = self._notes_by_key()
        head = {"version": version, "complete": self.is_complete, "fields": [*FIELDS, "number", "notes"]}
        yield json.dumps(head, ensure_ascii=False)[:-1] + ', "rows": ['
        separator = ""
        for rows in _batches(self._store.rows(since)):
            texts = (f"{row[:-1]},{number},{_notes_json(notes.get(key, ()))}]" for number, key, row in rows)
            yield separator + ",\n".join(texts)
            separator = ",\n"
        # The tables come last: they contain every value that a row above refers to.
        yield f'], "tables": {json.dumps(self._shared.as_json(), ensure_ascii=False)}}}'

    def record(self, number: int) -> tuple[int, RunRecord] | None:
        """Return the run and the record of an attempt; ``None`` if there is no such attempt."""
        place = self._store.place(number)
        if place is None:
            return None
        # A journal may have been removed since the last look; its attempts have records then.
        with suppress(FileNotFoundError):
            return place.run, read_record(self.directories[place.run], place.ref)
        return None

    def document(self, number: int) -> dict[str, Any] | None:
        """Return the document of an attempt."""
        found = self.record(number)
        return None if found is None else attempt_document(found[1])

    def search(self, text: str, part: str) -> list[int]:
        """Return the numbers of the attempts that contain all words; ``conversation`` leaves out what was given."""
        attempts = self._attempt_texts.copy()
        marks = [self._texts.containing(word) for word in search_words(text)]
        return attempts.numbers_with(marks, includes_given=part == "all")

    def add_note(self, number: int, *, author: str, text: str) -> Note | None:
        """Store a note on an attempt; return ``None`` if there is no such attempt."""
        found = self.record(number)
        return None if found is None else self.notes[found[0]].add(found[1], author=author, text=text)

    def report(self) -> Report:
        """Return the report of all attempts so far."""
        facts = read_facts_now(self.directories[0]) if len(self.directories) == 1 else {}
        return Report(
            entries=tuple(self._store.entries()),
            facts=facts,
            gates=tuple(gate for directory in self.directories for gate in read_gates(directory)),
            directory=str(self.directories[0]) if len(self.directories) == 1 else None,
            damaged=sum(self._damaged(run) for run in range(len(self._tails))),
        )

    def report_of(self, run: int) -> Report:
        """Return the report of one of the runs, with models as the run names them."""
        suffix = f" [{self.names[run]}]" if len(self.names) > 1 else ""
        entries = (
            entry.model_copy(update={"model": entry.model.removesuffix(suffix)}) for entry in self._store.entries(run)
        )
        directory = self.directories[run]
        return Report(
            entries=tuple(entries),
            facts=read_facts_now(directory),
            gates=read_gates(directory),
            directory=str(directory),
            damaged=self._damaged(run),
        )

    def _damaged(self, run: int) -> int:
        return self._tails[run].damaged + lost_records(read_facts(self.directories[run]))

    def _follow(self) -> None:
        while not self._stopping.is_set():
            self.scan()
            self.is_complete = True
            self._stopping.wait(SECONDS_BETWEEN_SCANS)

    def _commit(self) -> None:
        self._texts.flush()
        self._store.commit()

    def _put(self, run: int, tailed: TailedRecord) -> None:
        number = self._store.put(self._stored(run, tailed))
        if number is not None:
            outcome = self._texts.append(strings_in(outcome_document(tailed.record)))
            self._attempt_texts.set(number, outcome=outcome, given=self._given_text(tailed.record))

    def _stored(self, run: int, tailed: TailedRecord) -> StoredAttempt:
        entry = self._with_distinct_names(run, Entry.of(tailed.record, tailed.ref))
        row = index_row(entry, self._shared)
        suite, model = row[FIELDS.index("suite")], row[FIELDS.index("model")]
        return StoredAttempt(
            key=_key_text(run, tailed.record.attempt),
            run=run,
            ref=tailed.ref,
            rank=tailed.rank,
            order=(suite, sort_text(entry.task_id), model, entry.trial),
            row=json.dumps(row, ensure_ascii=False),
            entry=entry,
        )

    def _given_text(self, record: RunRecord) -> int:
        """Return the number of the text that the agent got before the first message; equal ones are stored once."""
        digest = hashlib.blake2b(repr(key_of_given(record)).encode(), digest_size=16).digest()
        if digest not in self._given:
            self._given[digest] = self._texts.append(strings_in(given_document(record)))
        return self._given[digest]

    def _with_distinct_names(self, run: int, entry: Entry) -> Entry:
        """Return the entry with a suite that is unique in its run and, of several runs, the run beside the model."""
        full = qualified_name(entry.suite, entry.file)
        suite = full if full in self._suites_of(run) else entry.suite
        model = f"{entry.model} [{self.names[run]}]" if len(self.directories) > 1 else entry.model
        return entry.model_copy(update={"suite": suite, "model": model})

    def _suites_of(self, run: int) -> frozenset[str]:
        """Return the names of the suites of a run, which are unique in it; ``run.json`` is older than any record."""
        if run not in self._suites:
            suites = read_facts(self.directories[run]).get("suites")
            self._suites[run] = frozenset(suites) if isinstance(suites, dict) else frozenset()
        return self._suites[run]

    def _touch_noted(self) -> int:
        """Mark the attempts with new notes as changed, and return their number."""
        changed: set[str] = set()
        for run, file in enumerate(self.notes):
            notes = file.notes()
            if notes is not self._seen_notes[run]:
                changed |= {_key_text(run, note.attempt) for note in (*notes, *self._seen_notes[run])}
                self._seen_notes[run] = notes
        self._store.touch(changed)
        return len(changed)

    def _notes_by_key(self) -> dict[str, list[Note]]:
        found: dict[str, list[Note]] = {}
        for run, file in enumerate(self.notes):
            for note in file.notes():
                found.setdefault(_key_text(run, note.attempt), []).append(note)
        return found


def _key_text(run: int, attempt: AttemptKey) -> str:
    return json.dumps([run, *attempt])


def _notes_json(notes: Sequence[Note]) -> str:
    shown = [{"author": note.author, "time": note.time, "text": note.text} for note in notes]
    return json.dumps(shown, ensure_ascii=False)


def _batches(rows: Iterator[Row]) -> Iterator[list[Row]]:
    """Yield the rows in lists: a server spends more on a piece of its answer than on a row."""
    while batch := list(islice(rows, _ROWS_OF_A_PIECE)):
        yield batch
