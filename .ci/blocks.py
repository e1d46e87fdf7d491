"""Run the blocks of README.md and of the tutorial as they stand, in a clean clone of this repository.

    python3 .ci/blocks.py [FILE ...]

Blocks of ``bash`` and ``console`` are run in order in the root of the clone; in a ``console`` block, lines that begin
with ``$ `` are commands. What a block exports is known to the later blocks of its file. Comments on the lines before a
block say what else holds:

``<!-- file: NAME -->``        the block, of any language, is written to this file
``<!-- in: DIR -->``           directory of the commands or of the file; it is made when it is missing
``<!-- exit: CODE -->``        exit code of the last command, or one code for each command; the others end with 0
``<!-- output: compared -->``  what the block shows below a command is part of its output; ``…`` stands for any text
``<!-- not run: REASON -->``   the block is left out

The clone has an environment of its own: ``.venv/bin``, which the README makes, is first on the path. Requests to
providers go to a server on loopback, and a key that is written as ``…`` is replaced by one for that server.
"""

import argparse
import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from fixtures.chat_server import chat_server  # noqa: E402 (after the path is set)
from fixtures.provider_dialects import calls_then_says  # noqa: E402

DIRECTIVES = ("file", "in", "exit", "output", "not run")
SHELLS = ("bash", "console")
SECONDS = 900
"""Longest time of a block."""
SHOWN_LINES = 25
KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY")
_COMMENT = re.compile(r"\s*<!-- ([a-z ]+): (.*) -->\s*")
_ERRORS = re.compile(r"^=+ (.*\b\d+ errors?\b.*) =+$", re.MULTILINE)
_OWN = re.compile(r"PYTHON|PYTEST|MCPBENCH|VIRTUAL_ENV|CONDA|GITHUB_|CI$|.*_API_KEY$|.*_BASE_URL$|.*_API_BASE$")
"""Variables that a newcomer's environment does not have."""


class BlockError(Exception):
    """Block that cannot be run, or does not do what the page says."""


@dataclass(frozen=True)
class Command:
    """Command of a block, with its output as the page shows it."""

    line: int
    text: str
    shown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Block:
    """Fenced block of a page, with the comments before it."""

    page: str
    line: int
    language: str
    lines: tuple[str, ...]
    directives: Mapping[str, str]

    @property
    def commands(self) -> list[Command]:
        """The commands; a ``bash`` block is one."""
        if self.language == "bash":
            return [Command(self.line + 1, "\n".join(self.lines))]
        found: list[Command] = []
        continues = False
        for number, line in enumerate(self.lines, self.line + 1):
            if continues:
                found[-1] = Command(found[-1].line, f"{found[-1].text}\n{line}")
            elif line.startswith("$ "):
                found.append(Command(number, line.removeprefix("$ ")))
            elif found:
                found[-1] = Command(found[-1].line, found[-1].text, (*found[-1].shown, line))
            continues = (continues or line.startswith("$ ")) and line.endswith("\\")
        return found

    @property
    def exit_codes(self) -> list[int]:
        """The expected exit codes, one for each command."""
        given = self.directives.get("exit", "0").split()
        if len(given) > len(self.commands) or not all(code.isdecimal() for code in given):
            problem = f"exit: {' '.join(given)}: not a number, or more numbers than the block has commands"
            raise BlockError(f"{self.page}:{self.line}: {problem}")
        return [0] * (len(self.commands) - len(given)) + [int(code) for code in given]


def blocks_of(page: str, text: str) -> Iterator[Block]:
    """Return the blocks of a page that are shell commands or belong into a file.

    Raises BlockError for a comment that is not about such a block.
    """
    directives: dict[str, str] = {}
    lines = iter(enumerate(text.splitlines(), 1))
    for number, line in lines:
        if comment := _COMMENT.fullmatch(line):
            directives[comment[1]] = comment[2]
            continue
        fence = re.match(r"( *)(`{3,})(\w*)", line)
        if fence is None:
            if directives.keys() & set(DIRECTIVES):
                raise BlockError(f"{page}:{number}: the line before is a comment about a block, and no block follows")
            directives = {}
            continue
        if unknown := directives.keys() - set(DIRECTIVES):
            known = ", ".join(DIRECTIVES)
            raise BlockError(f"{page}:{number}: comments about a block are called {known}, not {', '.join(unknown)}")
        indent, marks, language = fence.groups()
        content = []
        for _, inner in lines:
            if inner.strip() == marks:
                break
            content.append(inner.removeprefix(indent))
        if language in SHELLS or "file" in directives:
            yield Block(page, number, language, tuple(content), directives)
        elif directives:
            raise BlockError(f"{page}:{number}: only blocks of {', '.join(SHELLS)}, or with a file, have comments")
        directives = {}


@dataclass
class Clone:
    """Clean clone in which the blocks of a page run."""

    directory: Path
    environment: dict[str, str]
    exported: Path = field(init=False)

    def __post_init__(self) -> None:
        self.exported = self.directory.parent / "exported.sh"
        self.exported.write_text("")

    def run(self, block: Block) -> None:
        """Write the file of a block, or run its commands. Raises BlockError for what differs from the page."""
        directory = self.directory / block.directives.get("in", ".")
        directory.mkdir(parents=True, exist_ok=True)
        if "file" in block.directives:
            file = directory / block.directives["file"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("\n".join(block.lines) + "\n", encoding="utf-8")
            return
        for command, expected in zip(block.commands, block.exit_codes, strict=True):
            seen, output = self._execute(command, directory)
            wrong = "" if seen == expected else f"ended with exit code {seen}, expected {expected}"
            if not wrong and (errors := _ERRORS.search(output)):
                # With tasks that fail, too, the exit code does not tell.
                wrong = f"ran tasks or tests that ended in an error: {errors[1]}"
            if not wrong and block.directives.get("output") == "compared":
                wrong = _difference(command.shown, output)
            if wrong:
                last = "\n".join(f"    {line}" for line in output.splitlines()[-SHOWN_LINES:])
                raise BlockError(f"{block.page}:{command.line}: `{command.text}` {wrong}. Its last lines:\n{last}")

    def _execute(self, command: Command, directory: Path) -> tuple[int | str, str]:
        """Return the exit code and the output of a command, which knows what earlier ones have exported."""
        exported = shlex.quote(str(self.exported))
        text = re.sub(r"(_API_KEY=)\S*…\S*", r"\1loopback", command.text)
        script = f"source {exported}\ntrap 'unset PWD OLDPWD SHLVL; export -p > {exported}' EXIT\n{text}\n"
        # In a file, because a process that is left behind would keep a pipe open.
        with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
            process = subprocess.Popen(
                ["bash", "-e", "-c", script],
                cwd=directory,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                code: int | str = process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                code = f"none after {SECONDS} seconds"
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            output.seek(0)
            return code, output.read()


def _difference(shown: tuple[str, ...], output: str) -> str:
    """Return what the page shows and the output lacks, empty if nothing; both are compared without trailing spaces."""
    position = 0
    printed = [line.rstrip() for line in output.splitlines()]
    for line in filter(None, map(str.rstrip, shown)):
        pattern = re.compile(".*".join(map(re.escape, line.split("…"))))
        found = next((at for at in range(position, len(printed)) if pattern.fullmatch(printed[at])), None)
        if found is None:
            return f"did not print the line that the page shows: {line}"
        position = found + 1
    return ""


def clean_environment(clone: Path, address: str) -> dict[str, str]:
    """Return the variables of this process without those about Python, keys and CI."""
    kept = {name: value for name, value in os.environ.items() if not _OWN.match(name)}
    own = str(Path(sys.prefix) / "bin") if sys.prefix != sys.base_prefix else None
    path = [str(clone / ".venv" / "bin"), *(each for each in os.environ["PATH"].split(os.pathsep) if each != own)]
    keys = dict.fromkeys(KEYS, "loopback")
    # Compiling what is never imported would take as long as everything else.
    pip = {"PIP_NO_COMPILE": "1"}
    addresses = {"ANTHROPIC_BASE_URL": address.removesuffix("/v1"), "OPENAI_BASE_URL": address}
    places = {"PATH": os.pathsep.join(path), "MCPBENCH_CACHE": str(clone.parent / "cache")}
    return {**kept, **keys, **addresses, **pip, **places}


def pages_of(repository: Path) -> list[str]:
    """Return the pages whose blocks are run, by their paths in the repository."""
    tutorial = sorted((repository / "docs" / "tutorial").glob("*.md"))
    return ["README.md", *(page.relative_to(repository).as_posix() for page in tutorial)]


def run_pages(repository: Path, pages: list[str]) -> None:
    """Run the blocks of pages, those of all pages in the same clone. Raises BlockError for the first that fails."""
    with tempfile.TemporaryDirectory(prefix="blocks-") as scratch, chat_server(calls_then_says("", {})) as server:
        directory = Path(scratch) / "clone"
        changed = subprocess.check_output(["git", "status", "--short"], cwd=repository, text=True)
        if changed:
            print(f"changes that are not committed are left out:\n{changed}", file=sys.stderr)
        subprocess.run(["git", "clone", "--quiet", repository, directory], check=True)
        environment = clean_environment(directory, server.url)
        for page in pages or pages_of(directory):
            clone = Clone(directory, environment)
            for block in blocks_of(page, (directory / page).read_text(encoding="utf-8")):
                if reason := block.directives.get("not run"):
                    print(f"{page}:{block.line}: not run: {reason}", flush=True)
                    continue
                start = time.monotonic()
                clone.run(block)
                print(f"{page}:{block.line}: ok, {time.monotonic() - start:.1f} s", flush=True)


def main() -> int:
    """Run the blocks of the pages on the command line and return the exit code."""
    parser = argparse.ArgumentParser(description="Run the blocks of pages in a clean clone of the last commit.")
    parser.add_argument("--repository", type=Path, default=ROOT, help="repository to clone (default: this one)")
    parser.add_argument(
        "pages", nargs="*", metavar="FILE", help="page, as its path from the root (default: README.md and the tutorial)"
    )
    arguments = parser.parse_args()
    try:
        run_pages(arguments.repository, arguments.pages)
    except BlockError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
