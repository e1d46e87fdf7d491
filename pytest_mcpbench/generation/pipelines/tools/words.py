"""Words with which rules put calls into requests, from ``words.yaml``."""

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.generation.pipeline.vocabulary import WordList, WordSet, read_vocabulary


def _values_of_each_name(rows: Sequence[tuple[str, Sequence[Any]]]) -> dict[str, Sequence[Any]]:
    return {name: values for names, values in rows for name in names.split()}


class TableOfData(FrozenModel):
    """A table that somebody has drawn."""

    words: WordSet = Field(alias="for")
    """Words of tools or columns that it is for; without any, it is for all that none of the others is for."""
    title: str
    texts: int
    """Columns that are texts; numbers follow."""
    rows: tuple[tuple[str | int, ...], ...]


class UnitPair(FrozenModel):
    """Two units that people convert into one another."""

    units: WordList
    factor: float
    """Number of the second unit that is about one of the first."""
    most: float = 1000
    """Most of the first unit that people have."""


class Words(FrozenModel):
    """Content of the file; its comments describe the parts."""

    verbs: WordSet
    spoken_verbs: Mapping[str, str]
    carrying_verbs: WordSet
    showing_verbs: frozenset[str]
    asking_verbs: frozenset[str]
    searching_verbs: WordSet
    making_verbs: WordSet
    treating_verbs: WordSet
    ending_verbs: WordSet
    deleting_verbs: WordSet
    displacing_verbs: WordSet
    changing_verbs: WordSet
    marking_verbs: WordSet
    replaceable: WordSet
    added_texts: WordSet
    commands: WordSet
    identifying: WordSet
    vague: WordSet
    whole: WordSet
    possible: WordSet
    empty_verbs: WordSet
    jargon: WordSet
    determiners: WordSet
    openers: WordSet
    synonyms: Mapping[str, WordList]
    directions: tuple[tuple[WordSet, str], ...]
    connectors: tuple[tuple[WordSet, str], ...]
    values: Annotated[Mapping[str, tuple[Any, ...]], BeforeValidator(_values_of_each_name)]
    texts: tuple[tuple[WordSet, tuple[str, ...]], ...]
    file_contents: Mapping[str, str]
    new_names: Mapping[str, tuple[str, ...]]
    new_tables: Mapping[str, str]
    tables: tuple[TableOfData, ...]
    unit_pairs: tuple[UnitPair, ...]
    containers: WordSet
    remarks: WordSet
    counts: WordSet
    limits: WordSet
    durations: WordSet
    numbered: WordSet
    plain_kinds: WordSet
    flags: WordSet
    opposites: tuple[WordSet, ...]


@functools.cache
def words() -> Words:
    """Return the words; the file is read once."""
    return read_vocabulary(Path(__file__).parent / "words.yaml", Words)
