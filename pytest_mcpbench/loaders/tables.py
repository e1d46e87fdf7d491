"""Reader of table rows from parquet, CSV or JSON."""

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_mcpbench.core.errors import SourceLocation
from pytest_mcpbench.loaders.field_errors import type_name
from pytest_mcpbench.loaders.json_records import decode_text, is_undecodable, read_records

_CELL_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class Row:
    """Cells of one row by column, or the problem that prevents reading it."""

    place: SourceLocation
    values: Mapping[str, Any] = field(default_factory=dict)
    problem: str | None = None
    warnings: tuple[str, ...] = ()


def read_rows(content: bytes, file: str) -> Iterator[Row]:
    """Return the rows in order; the first bytes of the content determine its format."""
    if content.startswith(b"PAR1"):
        return _parquet_rows(content, file)
    text = decode_text(content)
    return _json_rows(content, file) if text.lstrip()[:1] in ("{", "[") else _csv_rows(text, file)


def _json_rows(content: bytes, file: str) -> Iterator[Row]:
    for record in read_records(content, file):
        if record.problem is not None:
            yield Row(record.place, problem=record.problem + ".")
        elif isinstance(record.value, dict):
            yield Row(record.place, record.value, warnings=record.warnings)
        else:
            yield Row(record.place, problem=f"a record must be an object, not {type_name(record.value)}.")


def _csv_rows(text: str, file: str) -> Iterator[Row]:
    lines = list(_csv_lines(text))
    if not lines:
        return
    _, header, problem = lines[0]
    if problem is not None:
        yield Row(SourceLocation(file, line=1), problem=problem)
        return
    for line, cells, problem in lines[1:]:
        place = SourceLocation(file, line=line)
        if problem is not None:
            yield Row(place, problem=problem)
        elif cells:
            yield _csv_row(place, header, cells)


def _csv_row(place: SourceLocation, header: list[str], cells: list[str]) -> Row:
    if len(cells) != len(header):
        return Row(place, problem=f"the row has {len(cells)} cells, the header {len(header)}; it may be cut off.")
    if any(map(is_undecodable, cells)):
        return Row(place, problem="the row contains bytes that are not UTF-8.")
    return Row(place, dict(zip(header, cells, strict=True)))


def _csv_lines(text: str) -> Iterator[tuple[int, list[str], str | None]]:
    """Yield line number, cells and problem of each row."""
    reader = csv.reader(io.StringIO(text, newline=""))
    while True:
        line = reader.line_num + 1
        try:
            yield line, _next_row(reader), None
        except StopIteration:
            return
        except csv.Error as error:
            yield line, [], f"not valid CSV: {error}."


def _next_row(reader: Iterator[list[str]]) -> list[str]:
    """Return the next row, with a limit on the size of a cell that is large enough for recorded trajectories."""
    # The limit applies to the process, so it is restored before any other code can see it.
    previous_limit = csv.field_size_limit(_CELL_BYTES)
    try:
        return next(reader)
    finally:
        csv.field_size_limit(previous_limit)


def _parquet_rows(content: bytes, file: str) -> Iterator[Row]:
    try:
        from pyarrow import ArrowException, BufferReader, parquet
    except ImportError:
        problem = "reading parquet requires pyarrow, which is not installed: pip install 'pytest-mcpbench[fetch]'."
        yield Row(SourceLocation(file), problem=problem)
        return
    index = 0
    try:
        for batch in parquet.ParquetFile(BufferReader(content)).iter_batches(batch_size=64):
            for values in batch.to_pylist():
                yield Row(SourceLocation(file, index=index), values)
                index += 1
    except (ArrowException, OSError) as error:
        yield Row(SourceLocation(file, index=index), problem=f"not a valid parquet file: {error}.")
