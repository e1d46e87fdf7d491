"""Words with which rules speak of tools, from ``acts.yaml``."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml


@dataclass(frozen=True)
class Form:
    """Words for what a tool does with values of certain roles."""

    verbs: frozenset[str]
    roles: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Acts:
    """Content of the file; its comments describe the parts."""

    reads: frozenset[str]
    changes: frozenset[str]
    not_asked: frozenset[str]
    people: frozenset[str]
    texts: frozenset[str]
    titles: frozenset[str]
    shapes: Mapping[str, Any]
    forms: tuple[Form, ...]
    texts_of_people: tuple[str, ...]
    titles_of_people: tuple[str, ...]
    choices_of_people: Mapping[str, list[str]]
    given_names: tuple[str, ...]
    family_names: tuple[str, ...]
    openings: tuple[str, ...]
    links: tuple[str, ...]


@functools.cache
def acts() -> Acts:
    """Return the words; the file is read once."""
    content = yaml.safe_load((Path(__file__).parent / "acts.yaml").read_text(encoding="utf-8"))
    return Acts(
        reads=_set(content["reads"]),
        changes=_set(content["changes"]),
        not_asked=_set(content["not_asked"]),
        people=_set(content["people"]),
        texts=_set(content["texts"]),
        titles=_set(content["titles"]),
        shapes=content["shapes"],
        forms=tuple(
            Form(frozenset(verbs.split()), tuple(roles.split()), text) for verbs, roles, text in content["forms"]
        ),
        texts_of_people=tuple(content["texts_of_people"]),
        titles_of_people=tuple(content["titles_of_people"]),
        choices_of_people=content["choices_of_people"],
        given_names=tuple(content["given_names"].split()),
        family_names=tuple(content["family_names"].split()),
        openings=tuple(content["openings"]),
        links=tuple(content["links"]),
    )


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())
