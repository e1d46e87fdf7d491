"""Confinement of the files that a suite reads into prompts and sandboxes."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_mcpbench.core.errors import SourceLocation, TaskError

OPTION = "--mcpbench-allow-path"


@dataclass(frozen=True)
class Confinement:
    """Directories from which a suite may read.

    They are those of the project that the suite belongs to, because a suite beside a server reads the project's
    documents. A suite outside of the project, such as a downloaded one, reads from its own directory only. A project
    that contains the home directory, which pytest takes a directory without an ini file for, is none.
    """

    directories: tuple[Path, ...]
    """Resolved directories."""

    @classmethod
    def of_suite(cls, suite: Path, project: Path, allowed: tuple[Path, ...] = ()) -> "Confinement":
        """Return the confinement of a suite's directory; ``allowed`` are the directories of the command line."""
        own, root = suite.resolve(), project.resolve()
        is_inside = own.is_relative_to(root) and not Path.home().resolve().is_relative_to(root)
        return cls((root if is_inside else own, *(each.resolve() for each in allowed)))

    def check(self, path: Path, place: SourceLocation, field: str) -> None:
        """Check that a file or a directory, with links followed, is inside.

        Raises:
            TaskError: it is outside.
        """
        for each in (path, *_links_below(path)):
            target = each.resolve()
            if not any(target.is_relative_to(directory) for directory in self.directories):
                through = "" if each == path else f" through the link {each.name!r}"
                inside = " and ".join(map(str, self.directories))
                raise TaskError(
                    f"{path} leads{through} to {target}, outside of {inside}.",
                    place,
                    field,
                    f"Move it there, or allow it with {OPTION}={target if target.is_dir() else target.parent}.",
                )


def _links_below(path: Path) -> Iterator[Path]:
    """Yield the symbolic links in a directory; links themselves are not entered."""
    if path.is_dir():
        yield from (each for each in path.rglob("*") if each.is_symlink())
