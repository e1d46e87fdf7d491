"""Casts: copies of worlds with other names, which are the same in all apps of a person (MCP-Persona 3.2)."""

import json
import random
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.generation.pipelines.persona.records import is_email, is_opaque
from pytest_mcpbench.generation.pipelines.persona.words import acts
from pytest_mcpbench.generation.source.files import SourceEntry, read_entries

_IDS = re.compile(r"(?=[\w-]*[A-Za-z])(?=[\w-]*\d)[\w-]{9,}")
"""Ids of letters and digits; those of digits alone may be times."""
_GIVEN = ("first_name", "given_name")
_FAMILY = ("last_name", "family_name", "surname")
_NICKNAMES = ("display_name", "nickname", "alias")
_PREFIX = re.compile(r"[A-Za-z]+_|[A-Z]{1,2}(?=[A-Z0-9]{8})|")


class PersonEntry(SourceEntry):
    """One entry of a file of people."""

    name: str
    contacts: tuple[str, ...] = ()
    """Names of the people whom the person knows, the most important first."""


def read_people(files: Sequence[Path]) -> list[PersonEntry]:
    """Return the people of all files."""
    return [person for file in files for person in read_entries(file, PersonEntry)]


def draw_people(number: int, rng: random.Random) -> list[PersonEntry]:
    """Draw people with different names and contacts."""
    own = acts()
    return [PersonEntry(name=f"{rng.choice(own.given_names)} {rng.choice(own.family_names)}") for _ in range(number)]


def cast_for(
    person: PersonEntry, names: Collection[str], worlds: Mapping[str, Any], rng: random.Random
) -> dict[str, str]:
    """Return the new name of everybody in the worlds, whose owner becomes the person."""
    text = json.dumps(dict(worlds), ensure_ascii=False)
    ranked = sorted((name for name in names if len(name.split()) > 1), key=lambda name: (-text.count(name), name))
    new = [person.name, *person.contacts]
    said = " ".join(new)
    given = [name for name in acts().given_names if name not in said]
    rng.shuffle(given)
    family = list(acts().family_names)
    while len(new) < len(ranked):
        at = len(new)
        drawn = f"{given[at % len(given)]} {rng.choice(family)}"
        new += [drawn] if drawn not in new else []
    return dict(zip(ranked, new, strict=False))


def recast(world: Any, cast: Mapping[str, str]) -> JsonValue:
    """Return a world in which everybody has the name of the cast, and in which ids are others of the same form."""
    text = json.dumps(world, ensure_ascii=False)
    rng = random.Random("/".join(cast.values()))
    keys: dict[str, None] = {}
    _collect(world, keys)
    new = {key: _another(key, rng) for key in keys}
    given = [name.split()[0] for name in cast]
    # Names are spelled in full, in addresses, and as the given name where only one person has it.
    spellings: dict[str, str] = {}
    for old, name in cast.items():
        spellings[old] = name
        for sign in "._-":
            spellings[sign.join(old.casefold().split())] = sign.join(name.casefold().split())
        if given.count(old.split()[0]) == 1 and len(old.split()[0]) > 2:
            spellings[old.split()[0]] = name.split()[0]
    new |= {old: name for old, name in spellings.items() if old in text}
    ordered = sorted(new, key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w])(?:{'|'.join(map(re.escape, ordered))})(?![\w])")
    changed: JsonValue = json.loads(pattern.sub(lambda found: new[found[0]], text))
    return _with_parts_of_names(changed, frozenset(cast.values()))


def _with_parts_of_names(value: JsonValue, names: Collection[str]) -> JsonValue:
    """Return a world in which the other names of each person, as in another script, follow from the new one."""
    if isinstance(value, list):
        return [_with_parts_of_names(part, names) for part in value]
    if not isinstance(value, dict):
        return value
    name = next((part for part in value.values() if isinstance(part, str) and part in names), "")
    given, _, family = name.partition(" ")
    others = {**dict.fromkeys(_GIVEN, given), **dict.fromkeys(_FAMILY, family), **dict.fromkeys(_NICKNAMES, name)}
    return {
        key: others[key] if name and part and key in others else _with_parts_of_names(part, names)
        for key, part in value.items()
    }


def _collect(value: Any, keys: dict[str, None]) -> None:
    if isinstance(value, dict):
        for key, part in value.items():
            if _IDS.fullmatch(key) and is_opaque(key) and not is_email(key):
                keys[key] = None
            _collect(part, keys)
    elif isinstance(value, list):
        for part in value:
            _collect(part, keys)


def _another(key: str, rng: random.Random) -> str:
    prefix = _PREFIX.match(key)
    start = prefix.end() if prefix else 0
    other_signs: list[str] = []
    for sign in key[start:]:
        if sign.isdigit():
            other_signs.append(rng.choice("123456789"))
        elif sign in "abcdef":
            other_signs.append(rng.choice("abcdef"))
        else:
            other_signs.append(rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZ") if sign.isupper() and sign.isascii() else sign)
    return key[:start] + "".join(other_signs)
