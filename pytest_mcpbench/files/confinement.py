"""Confinement of the files that a suite reads into prompts and sandboxes."""

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
            TaskError: it is outside, it is or has a device, a pipe or a socket, or there can be no such path.
        """
        try:
            self._check_target(path, path, place, field)
            for each in path.rglob("*") if path.is_dir() else ():
                # Links themselves are not entered.
                if each.is_symlink():
                    self._check_target(each, path, place, field)
                else:
                    _require_regular(each, place, field)
        except (OSError, ValueError, RuntimeError) as error:  # such as a null byte, a long name, links in a circle
            reason = error.strerror if isinstance(error, OSError) else error
            raise TaskError(f"{str(path)!r} cannot be read: {reason}.", place, field) from None

    def _check_target(self, link: Path, path: Path, place: SourceLocation, field: str) -> None:
        target = link.resolve()
        if not any(target.is_relative_to(directory) for directory in self.directories):
            through = "" if link == path else f" through the link {link.name!r}"
            inside = " and ".join(map(str, self.directories))
            raise TaskError(
                f"{path} leads{through} to {target}, outside of {inside}.",
                place,
                field,
                f"Move it there, or allow it with {OPTION}={target if target.is_dir() else target.parent}.",
            )
        _require_regular(target, place, field)


def _require_regular(path: Path, place: SourceLocation, field: str) -> None:
    if path.exists() and not path.is_file() and not path.is_dir():
        raise TaskError(f"{path} is a device, a pipe or a socket, and not a file or a directory.", place, field)
