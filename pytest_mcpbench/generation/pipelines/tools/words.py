"""Words with which rules put calls into requests, from ``words.yaml``."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml


@dataclass(frozen=True)
class Words:
    """Content of the file; its comments describe the parts."""

    verbs: frozenset[str]
    spoken_verbs: Mapping[str, str]
    showing_verbs: frozenset[str]
    asking_verbs: frozenset[str]
    searching_verbs: frozenset[str]
    making_verbs: frozenset[str]
    treating_verbs: frozenset[str]
    identifying: frozenset[str]
    vague: frozenset[str]
    empty_verbs: frozenset[str]
    jargon: frozenset[str]
    determiners: frozenset[str]
    synonyms: Mapping[str, tuple[str, ...]]
    directions: tuple[tuple[frozenset[str], str], ...]
    connectors: tuple[tuple[frozenset[str], str], ...]
    values: Mapping[str, tuple[Any, ...]]
    new_names: Mapping[str, tuple[str, ...]]
    counts: frozenset[str]
    limits: frozenset[str]
    durations: frozenset[str]
    numbered: frozenset[str]
    plain_kinds: frozenset[str]
    flags: frozenset[str]
    opposites: tuple[frozenset[str], ...]


@functools.cache
def words() -> Words:
    """Return the words; the file is read once."""
    content = yaml.safe_load((Path(__file__).parent / "words.yaml").read_text(encoding="utf-8"))
    return Words(
        verbs=_set(content["verbs"]),
        spoken_verbs=content["spoken_verbs"],
        showing_verbs=frozenset(content["showing_verbs"]),
        asking_verbs=frozenset(content["asking_verbs"]),
        jargon=_set(content["jargon"]),
        searching_verbs=_set(content["searching_verbs"]),
        making_verbs=_set(content["making_verbs"]),
        identifying=_set(content["identifying"]),
        treating_verbs=_set(content["treating_verbs"]),
        vague=_set(content["vague"]),
        empty_verbs=_set(content["empty_verbs"]),
        determiners=_set(content["determiners"]),
        synonyms={word: tuple(others.split()) for word, others in content["synonyms"].items()},
        directions=tuple((_set(names), form) for names, form in content["directions"]),
        connectors=tuple((_set(names), form) for names, form in content["connectors"]),
        values={name: tuple(values) for names, values in content["values"] for name in names.split()},
        new_names={name: tuple(names) for name, names in content["new_names"].items()},
        plain_kinds=_set(content["plain_kinds"]),
        counts=_set(content["counts"]),
        limits=_set(content["limits"]),
        durations=_set(content["durations"]),
        numbered=_set(content["numbered"]),
        flags=_set(content["flags"]),
        opposites=tuple(frozenset(pair.split("/")) for pair in content["opposites"].split()),
    )


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())
