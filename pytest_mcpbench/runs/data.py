"""Data of finished and running runs as flat tables, as data frames and as Parquet."""

import importlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.record import AttemptKey
from pytest_mcpbench.reporting.data.columns import ATTEMPTS, CALLS, SCORES, VERDICTS
from pytest_mcpbench.reporting.data.table import AttemptRow, ColumnType, DataTable, Row, TableKind, table_of
from pytest_mcpbench.runs.lookup import find_runs, run_names
from pytest_mcpbench.runs.records import read_facts, read_records

if TYPE_CHECKING:
    import pandas

_DTYPES: dict[ColumnType, str] = {
    "text": "string",
    "integer": "Int64",
    "number": "Float64",
    "truth": "boolean",
    "time": "datetime64[us, UTC]",
}
"""Types that have a value for what is not known, so that it is never 0 and never turns integers into floats."""


@dataclass(frozen=True)
class RunData:
    """Runs whose records are read each time that a table is asked for, so that a running run can be looked at again."""

    directories: tuple[Path, ...]

    def attempts(self) -> "pandas.DataFrame":
        """Return one row for each attempt."""
        return _data_frame(self.table(ATTEMPTS))

    def scores(self) -> "pandas.DataFrame":
        """Return one row for each score of an attempt, with its reasons."""
        return _data_frame(self.table(SCORES))

    def calls(self) -> "pandas.DataFrame":
        """Return one row for each tool call of an attempt."""
        return _data_frame(self.table(CALLS))

    def verdicts(self) -> "pandas.DataFrame":
        """Return one row for each verdict of a judge about an attempt."""
        return _data_frame(self.table(VERDICTS))

    def table(self, kind: TableKind) -> DataTable:
        """Return a table of all runs; of several records of one attempt in a run the last one counts."""
        names = run_names(self.directories)
        rows: list[Row] = []
        for directory in self.directories:
            facts = read_facts(directory)
            latest: dict[AttemptKey, Sequence[Row]] = {}
            for _, record in read_records(directory):
                latest[record.attempt] = tuple(kind.rows(AttemptRow(names[directory], record, facts)))
            rows += chain.from_iterable(latest.values())
        return table_of(kind, rows)


def load(paths: str | PathLike[str] | Iterable[str | PathLike[str]]) -> RunData:
    """Return the data of one or several runs.

    Args:
        paths: Directories of runs, as they were passed to ``--mcpbench-out``; ``last`` is the latest run.

    Raises:
        TaskError: a directory does not exist or has no records.
    """
    every = [paths] if isinstance(paths, str | PathLike) else paths
    return RunData(find_runs(map(str, every)))


def write_parquet(table: DataTable, path: Path) -> None:
    """Write a table as Parquet."""
    pyarrow, parquet = _optional("pyarrow", "Parquet"), _optional("pyarrow.parquet", "Parquet")
    types = {
        "text": pyarrow.string(),
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
        "truth": pyarrow.bool_(),
        "time": pyarrow.timestamp("us", tz="UTC"),
    }
    arrays = {
        column.name: pyarrow.array(list(table.values(column)), type=types[column.type]) for column in table.columns
    }
    parquet.write_table(pyarrow.table(arrays), path)


def _data_frame(table: DataTable) -> "pandas.DataFrame":
    module = _optional("pandas", "data frames")
    columns = {
        column.name: module.array(list(table.values(column)), dtype=_DTYPES[column.type]) for column in table.columns
    }
    frame: pandas.DataFrame = module.DataFrame(columns)
    return frame


def _optional(module: str, purpose: str) -> Any:
    """Import a module of the extra ``data``."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise UsageError(
            f'{purpose} need {package}, which cannot be imported ({error}): pip install "pytest-mcpbench[data]"'
        ) from None
