"""Selection of tasks by their tags (``--mcpbench-tag``)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.suggestions import did_you_mean

Tags = Mapping[str, str]


@dataclass(frozen=True)
class TagSelection:
    """Conditions that the tags of a task must all meet.

    A condition lists alternatives: the name of a tag, its value, or both as ``name=value``. They are compared exactly.
    """

    conditions: tuple[tuple[str, ...], ...]

    @classmethod
    def parse(cls, texts: Iterable[str]) -> "TagSelection":
        """Parse texts such as ``category=email,calendar``; the name counts for all values behind it."""
        return cls(tuple(tuple(_alternatives(text)) for text in texts))

    def selects(self, tags: Tags) -> bool:
        """Return whether the tags meet every condition."""
        names = _names(tags)
        return all(not names.isdisjoint(condition) for condition in self.conditions)

    def find_problem(self, tags_of_tasks: Iterable[Tags]) -> str | None:
        """Return a sentence about the first alternative that no task has; ``None`` if each is known."""
        all_tags = list(tags_of_tasks)
        known = set[str]().union(*map(_names, all_tags))
        unknown = (wanted for condition in self.conditions for wanted in condition if wanted not in known)
        wanted = next(unknown, None)
        if wanted is None:
            return None
        return unknown_tag(wanted, sorted({name for tags in all_tags for name in tags}), suggested=sorted(known))


def unknown_tag(wanted: str, names: Sequence[str], *, suggested: Sequence[str] | None = None) -> str:
    """Return a sentence about a tag that no task has; ``names`` are listed where no suggestion is near.

    ``suggested`` are the texts to suggest, by default the names.
    """
    listing = f"There are: {', '.join(names)}." if names else "The tasks of this run have no tags."
    return f"no task has the tag {wanted!r}. {did_you_mean(wanted, suggested or names) or listing}"


def _alternatives(text: str) -> Iterable[str]:
    name, equals, values = text.partition("=")
    if not equals:
        return (each.strip() for each in text.split(",") if each.strip())
    return (f"{name.strip()}={value.strip()}" for value in values.split(","))


def _names(tags: Tags) -> set[str]:
    """Return everything by which the tags can be selected."""
    return {*tags, *tags.values(), *(f"{name}={value}" for name, value in tags.items())}
