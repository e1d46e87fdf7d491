"""Accepted spellings of people's names."""

from pytest_mcpbench.simulated.cast import CAST


def name(key: str) -> tuple[str, ...]:
    """Return the names of a person that an answer may use: full name, given name, name in Chinese."""
    person = CAST.person(key)
    return tuple(dict.fromkeys((person.name, person.given_name, person.local_name)))
