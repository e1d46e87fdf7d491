"""Index of the attempts of runs that follows their records on disk, kept in temporary files."""

import json
import mmap
import re
import sqlite3
import threading
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any

import numpy

from pytest_mcpbench.core.record import AttemptKey, RunRecord
from pytest_mcpbench.core.report import Entry, RecordRef, Report, SharedParts
from pytest_mcpbench.core.suite import qualified_name
from pytest_mcpbench.reporting.forms.display_text import visible
from pytest_mcpbench.reporting.page.attempt_document import attempt_document
from pytest_mcpbench.reporting.page.attempt_index import FIELDS, SharedValues, index_row
from pytest_mcpbench.runs.lookup import run_names
from pytest_mcpbench.runs.records import lost_records, read_facts, read_facts_now, read_gates, read_record
from pytest_mcpbench.text.natural_order import natural_key
from pytest_mcpbench.viewer.notes import Note, NotesFile
from pytest_mcpbench.viewer.reading import reader
from pytest_mcpbench.viewer.tail import Rank, RunTail, TailedRecord

# Rows of attempts in a temporary database, with the place of each record on disk.

_SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
CREATE TABLE attempt (
    number INTEGER PRIMARY KEY, version INTEGER, attempt TEXT UNIQUE, run INTEGER, file TEXT, offset INTEGER,
    rank_kind TEXT, rank_start TEXT, suite INTEGER, task TEXT, model INTEGER, trial INTEGER, row TEXT, entry BLOB
);
CREATE INDEX by_version ON attempt (version);
"""
_PAGE_ORDER = "ORDER BY suite, task, model, trial, number"


@dataclass(frozen=True)
class StoredAttempt:
    """An attempt as the database has it."""

    key: str
    """Identity of the attempt among all runs."""
    run: int
    ref: RecordRef
    rank: Rank
    order: tuple[int, str, int, int]
    """Position in the page: suite, task, model, trial."""
    row: str
    """JSON of the row in the index, without number and notes."""
    entry: Entry


@dataclass(frozen=True)
class RecordPlace:
    """Place of a record."""

    run: int
    ref: RecordRef


class AttemptStore:
    """Database of attempts, which one thread writes and others read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(path, check_same_thread=False)
        self._connection.executescript(_SCHEMA)
        self.version = 0
        """Number of the last change; each :meth:`commit` is one."""

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._connection.close()

    def put(self, attempt: StoredAttempt) -> int | None:
        """Store an attempt and return its number, from 1 on; :meth:`commit` shows it to readers.

        Nothing is stored, and ``None`` returned, if a record that counts more is there already.
        """
        found = self._connection.execute(
            "SELECT number, rank_kind, rank_start, file FROM attempt WHERE attempt = ?", (attempt.key,)
        ).fetchone()
        if found is not None and not attempt.rank.outranks(Rank(*found[1:])):
            return None
        cursor = self._connection.execute(
            f"INSERT OR REPLACE INTO attempt VALUES ({', '.join('?' * 14)})",
            (
                None if found is None else found[0],
                self.version + 1,
                attempt.key,
                attempt.run,
                attempt.ref.file,
                attempt.ref.offset,
                attempt.rank.kind,
                attempt.rank.start,
                *attempt.order,
                attempt.row,
                zlib.compress(attempt.entry.model_dump_json().encode(), 1),
            ),
        )
        return cursor.lastrowid

    def touch(self, keys: set[str]) -> None:
        """Mark attempts as changed, as with new notes."""
        changed = [(self.version + 1, key) for key in keys]
        self._connection.executemany("UPDATE attempt SET version = ? WHERE attempt = ?", changed)

    def commit(self) -> None:
        """Show everything that was stored to readers."""
        self._connection.commit()
        self.version += 1

    def count(self) -> int:
        """Return the number of attempts."""
        with closing(self._reader()) as reader:
            (count,) = reader.execute("SELECT count(*) FROM attempt").fetchone()
        return int(count)

    def rows(self, since: int = 0) -> Iterator[tuple[int, str, str]]:
        """Yield number, key and row of the attempts that changed after a version, in the order of the page."""
        query = f"SELECT number, attempt, row FROM attempt WHERE version > ? {_PAGE_ORDER}"
        with closing(self._reader()) as reader:
            yield from reader.execute(query, (since,))

    def place(self, number: int) -> RecordPlace | None:
        """Return the place of an attempt's record; ``None`` if there is no such attempt."""
        with closing(self._reader()) as reader:
            found = reader.execute("SELECT run, file, offset FROM attempt WHERE number = ?", (number,)).fetchone()
        return None if found is None else RecordPlace(found[0], RecordRef(file=found[1], offset=found[2]))

    def entries(self, run: int | None = None) -> Iterator[Entry]:
        """Yield the entries of all attempts, or of one run, in the order of the page."""
        where, values = ("", ()) if run is None else ("WHERE run = ?", (run,))
        parts = SharedParts()
        with closing(self._reader()) as reader:
            for (content,) in reader.execute(f"SELECT entry FROM attempt {where} {_PAGE_ORDER}", values):
                yield parts.share(Entry.model_validate_json(zlib.decompress(content)))

    def _reader(self) -> sqlite3.Connection:
        return sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)


def sort_text(task_id: str) -> str:
    """Return a text that sorts like the natural order of task ids: numbers are filled with zeros."""
    parts, name = natural_key(task_id)
    return json.dumps([f"{part:020}" if isinstance(part, int) else part for part in parts]) + name


# Texts of attempts in one file on disk, and the search for words in it.
#
# The file is mapped into memory while it is searched, so that the operating system and not the process keeps what it
# needs of it. Texts that many attempts share, such as definitions of tools, are stored once.

_WORD = re.compile(r'"([^"]+)"?|(\S+)')
_END = b"\n\x00\n"
"""End of a text; no word that is searched contains it, because control characters are not stored."""


class TextFile:
    """File of texts in lower case; one thread appends, and others search."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("ab")
        self._starts = array("Q")

    def append(self, text: str) -> int:
        """Store a text in lower case and return its number; :meth:`flush` makes it visible to searches."""
        start = self._file.tell()
        self._file.write(text.replace("\x00", " ").encode("utf-8", "replace") + _END)
        self._starts.append(start)
        return len(self._starts) - 1

    def flush(self) -> None:
        """Write what was appended to disk."""
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def containing(self, word: str) -> bytearray:
        """Return a 1 for the number of each text that contains a word in lower case."""
        starts = self._starts[:]
        marks = bytearray(len(starts))
        wanted = word.encode("utf-8", "replace")
        with self._path.open("rb") as file:
            size = file.seek(0, 2)
            if not size or not wanted:
                return marks
            with mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) as content:
                at = content.find(wanted)
                while at >= 0:
                    number = bisect_right(starts, at) - 1
                    marks[number] = 1
                    # The rest of a text is skipped after its first hit.
                    at = content.find(wanted, starts[number + 1]) if number + 1 < len(starts) else -1
        return marks


class AttemptTexts:
    """Numbers of the two texts of each attempt: of its outcome, and of what the agent was given."""

    def __init__(self, outcome: Iterable[int] = (), given: Iterable[int] = ()) -> None:
        self._outcome = array("q", outcome)
        self._given = array("q", given)

    def set(self, number: int, *, outcome: int, given: int) -> None:
        """Store the texts of an attempt; attempts are numbered from 1."""
        while len(self._given) <= number:
            self._outcome.append(-1)
            self._given.append(-1)
        self._outcome[number], self._given[number] = outcome, given

    def copy(self) -> "AttemptTexts":
        """Return the state of now; another thread may store attempts meanwhile."""
        size = len(self._given)
        return AttemptTexts(self._outcome[:size], self._given[:size])

    def numbers_with(self, marks: Sequence[bytearray], *, includes_given: bool) -> list[int]:
        """Return the numbers of the attempts of which a text has a mark of each word."""
        outcome, given = (numpy.array(each, dtype=numpy.int64) for each in (self._outcome, self._given))
        found = outcome >= 0
        for mark in marks:
            # A text without a place has the last mark, which is 0.
            has_word = numpy.frombuffer(mark + b"\0", dtype=numpy.uint8)
            found &= (has_word[outcome] | (has_word[given] if includes_given else 0)) > 0
        return [int(number) for number in numpy.nonzero(found)[0]]


def search_words(text: str) -> list[str]:
    """Return the words of a search in lower case; words between quotation marks stay together."""
    return [phrase or word for phrase, word in _WORD.findall(text.lower())]


_SECONDS_BETWEEN_COMMITS = 1.0
_ROWS_OF_A_PIECE = 1000
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
        self._thread: threading.Thread | None = None
        self.is_complete = False
        """True if all records that were there at the beginning are in the index."""

    def start(self, when_read: Callable[[], object]) -> None:
        """Begin to follow the records; ``when_read`` is called once, when those that are there have been read."""
        self._thread = threading.Thread(target=self._follow, args=(when_read,), name="mcpbench-view-index", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop to follow the records."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
        self._store.close()
        self._texts.close()

    def scan(self) -> None:
        """Take over all records and notes that are new."""
        committed, has_changes = monotonic(), False
        with reader(sum(tail.pending_bytes() for tail in self._tails)) as read:
            for run, tailed in ((run, each) for run, tail in enumerate(self._tails) for each in tail.new_records(read)):
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
        notes: dict[str, list[Note]] = {}
        for run, file in enumerate(self.notes):
            for note in file.notes():
                notes.setdefault(_key_text(run, note.attempt), []).append(note)
        head = {"version": version, "complete": self.is_complete, "fields": [*FIELDS, "number", "notes"]}
        yield json.dumps(head, ensure_ascii=False)[:-1] + ', "rows": ['
        separator = ""
        rows = self._store.rows(since)
        # In batches: a server spends more on a piece of its answer than on a row.
        while batch := list(islice(rows, _ROWS_OF_A_PIECE)):
            texts = (f"{row[:-1]},{number},{_notes_json(notes.get(key, ()))}]" for number, key, row in batch)
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

    def _follow(self, when_read: Callable[[], object]) -> None:
        while not self._stopping.is_set():
            self.scan()
            if not self.is_complete and not self._stopping.is_set():
                self.is_complete = True
                # In a thread of its own, so that records are followed meanwhile, and Ctrl-C does not wait for it.
                threading.Thread(target=self._unless_stopped, args=(when_read,), daemon=True).start()
            self._stopping.wait(SECONDS_BETWEEN_SCANS)

    def _unless_stopped(self, when_read: Callable[[], object]) -> None:
        try:
            when_read()
        except Exception:
            if not self._stopping.is_set():
                raise

    def _commit(self) -> None:
        self._texts.flush()
        self._store.commit()

    def _put(self, run: int, tailed: TailedRecord) -> None:
        read = tailed.record
        if read.given is not None and read.given_key not in self._given:
            self._given[read.given_key] = self._texts.append(read.given)
        entry = self._with_distinct_names(run, tailed.entry)
        row = index_row(entry, self._shared)
        suite, model = row[FIELDS.index("suite")], row[FIELDS.index("model")]
        stored = StoredAttempt(
            key=_key_text(run, tailed.entry.attempt),
            run=run,
            ref=tailed.ref,
            rank=tailed.rank,
            order=(suite, sort_text(entry.task_id), model, entry.trial),
            row=json.dumps(row, ensure_ascii=False),
            entry=entry,
        )
        number = self._store.put(stored)
        if number is not None:
            outcome = self._texts.append(read.outcome)
            self._attempt_texts.set(number, outcome=outcome, given=self._given[read.given_key])

    def _with_distinct_names(self, run: int, entry: Entry) -> Entry:
        """Return the entry with a suite that is unique in its run and, of several runs, the run beside the model."""
        full = qualified_name(entry.suite, entry.file)
        # The names of a run's suites are unique in it; ``run.json`` is older than any record.
        if run not in self._suites:
            suites = read_facts(self.directories[run]).get("suites")
            self._suites[run] = frozenset(suites) if isinstance(suites, dict) else frozenset()
        suite = full if full in self._suites[run] else entry.suite
        model = f"{entry.model} [{self.names[run]}]" if len(self.directories) > 1 else entry.model
        return entry.model_copy(update={"suite": suite, "model": model})

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


def _key_text(run: int, attempt: AttemptKey) -> str:
    return json.dumps([run, *attempt])


def _notes_json(notes: Sequence[Note]) -> str:
    shown = [{"author": visible(note.author), "time": note.time, "text": visible(note.text)} for note in notes]
    return json.dumps(shown, ensure_ascii=False)
