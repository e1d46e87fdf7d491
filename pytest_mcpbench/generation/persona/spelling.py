"""The ways in which people are named."""

from pytest_mcpbench.simulated.cast import CAST


def name(key: str) -> tuple[str, ...]:
    """A person, by any name."""
    person = CAST.person(key)
    return tuple(dict.fromkeys((person.name, person.given_name, person.local_name)))
