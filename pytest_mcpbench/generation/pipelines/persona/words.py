"""Words with which rules speak of tools, from ``acts.yaml``."""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.generation.pipeline.vocabulary import WordList, WordSet, read_vocabulary


class Form(NamedTuple):
    """Words for what a tool does with values of certain roles."""

    verbs: WordSet
    roles: WordList
    text: str


class Acts(FrozenModel):
    """Content of the file; its comments describe the parts."""

    reads: WordSet
    changes: WordSet
    not_asked: WordSet
    people: WordSet
    texts: WordSet
    titles: WordSet
    shapes: Mapping[str, Any]
    forms: tuple[Form, ...]
    texts_of_people: tuple[str, ...]
    titles_of_people: tuple[str, ...]
    choices_of_people: Mapping[str, tuple[str, ...]]
    given_names: WordList
    family_names: WordList
    openings: tuple[str, ...]


@functools.cache
def acts() -> Acts:
    """Return the words; the file is read once."""
    return read_vocabulary(Path(__file__).parent / "acts.yaml", Acts)
