"""Commands of the simulated shell that show and change directories: ls, find, cp and similar ones."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pytest_mcpbench.simulated.files.glob import matches
from pytest_mcpbench.simulated.terminal.command import Result, ShellContext, UsageProblem, options, whole_number
from pytest_mcpbench.simulated.terminal.disk import error_message

_DIRECTORY_SIZE = 4096


def pwd(shell: ShellContext, _arguments: Sequence[str], _stdin: str) -> Result:
    """Print the current directory."""
    return Result(shell.disk.current + "\n")


def cd(shell: ShellContext, arguments: Sequence[str], _stdin: str) -> Result:
    """Change the current directory, by default to the home directory; ``-`` is the previous one."""
    requested = path = arguments[0] if arguments else shell.disk.home
    path = shell.variables.get("OLDPWD", shell.disk.home) if path == "-" else path
    place = shell.disk.place(path)
    if not place.is_dir():
        raise NotADirectoryError(20, "", path)
    shell.variables["OLDPWD"] = shell.disk.current
    shell.disk.current = shell.variables["PWD"] = shell.disk.view.display_path(place)
    return Result(f"{shell.disk.current}\n" if requested == "-" else "")


def ls(shell: ShellContext, arguments: Sequence[str], _stdin: str) -> Result:
    """List files, one name per line, as always if the output is not a terminal.

    Supports ``-a -A -l -h -1 -R -r -S -d -p -F -t``.
    """
    switches, paths = options("ls", arguments, "aAlh1RrSdpFt")
    files: list[tuple[str, Path]] = []
    directories: list[tuple[str, Path]] = []
    problems = []
    for path in paths or ["."]:
        try:
            place = shell.disk.place(path)
            (directories if place.is_dir() and "d" not in switches else files).append((path, place))
        except OSError as error:
            problems.append(f"ls: cannot access '{path}': {error_message(error)}\n")
    blocks = [_rows(shell, files, switches)] if files else []
    if "R" in switches:
        directories = [inner for path, place in directories for inner in _walk(path, place)]
    for path, place in directories:
        head = f"{path}:\n" if len(paths) > 1 or "R" in switches else ""
        visible = [
            entry for entry in sorted(place.iterdir()) if {"a", "A"} & switches.keys() or not entry.name.startswith(".")
        ]
        entries = [(entry.name, entry) for entry in visible]
        if "a" in switches:
            entries = [(".", place), ("..", place.parent), *entries]
        total = f"total {sum(-(-_size(entry) // 4096) * 4 for _, entry in entries)}\n" if "l" in switches else ""
        blocks.append(head + (total + _rows(shell, entries, switches)))
    return Result("\n".join(blocks), "".join(problems), 2 if problems else 0)


def _walk(path: str, place: Path) -> Iterator[tuple[str, Path]]:
    yield path, place
    for inner in sorted(place.iterdir()):
        if inner.is_dir() and not inner.is_symlink() and not inner.name.startswith("."):
            yield from _walk(f"{path.rstrip('/')}/{inner.name}", inner)


def _rows(shell: ShellContext, entries: list[tuple[str, Path]], switches: dict[str, str]) -> str:
    in_order = sorted(entries, key=lambda entry: -_size(entry[1]) if "S" in switches else 0)
    if "r" in switches:
        in_order.reverse()
    names = [
        (name + ("/" if {"p", "F"} & switches.keys() and place.is_dir() else ""), place) for name, place in in_order
    ]
    if "l" not in switches:
        return "".join(f"{name}\n" for name, _ in names)
    sizes = [_human(_size(place)) if "h" in switches else str(_size(place)) for _, place in names]
    width = max(map(len, sizes), default=0)
    day = f"{shell.now():%b} {shell.now().day:>2} {shell.now():%H:%M}"
    return "".join(
        f"{_mode(place)} {2 if place.is_dir() else 1} {shell.user} {shell.user} {size:>{width}} {day} {name}\n"
        for (name, place), size in zip(names, sizes, strict=True)
    )


def _mode(place: Path) -> str:
    if place.is_symlink():
        return "lrwxrwxrwx"
    if place.is_dir():
        return "drwxr-xr-x"
    return "-rwxr-xr-x" if place.stat().st_mode & 0o100 else "-rw-r--r--"


def _size(place: Path) -> int:
    if place.is_symlink():
        return len(str(place.readlink()))
    return _DIRECTORY_SIZE if place.is_dir() else place.stat().st_size


def _human(size: int) -> str:
    """Return a size as ``ls -h`` and ``du -h`` print it: rounded up, with one decimal below ten."""
    amount, unit = float(size), ""
    for unit in ("", "K", "M", "G"):
        if amount < 1024 or unit == "G":
            break
        amount /= 1024
    if not unit:
        return str(size)
    tenths = -(-amount * 10 // 1)
    return f"{tenths / 10:.1f}{unit}" if tenths < 100 else f"{-(-amount // 1):.0f}{unit}"


def find(shell: ShellContext, arguments: Sequence[str], _stdin: str) -> Result:
    """Find files.

    Supports ``-name -iname -type f|d -maxdepth -mindepth -size +Nk -empty -not``; all tests must hold.
    """
    starts = []
    remaining = list(arguments)
    while remaining and not remaining[0].startswith(("-", "!")):
        starts.append(remaining.pop(0))
    tests, depths = _tests(remaining)
    results, problems = [], []
    for start in starts or ["."]:
        try:
            place = shell.disk.place(start)
        except OSError as error:
            problems.append(f"find: '{start}': {error_message(error)}\n")
            continue
        for path, candidate, depth in _descend(start, place, 0):
            if depths[0] <= depth <= depths[1] and all(test(candidate) for test in tests):
                results.append(path)
    return Result("".join(f"{path}\n" for path in results), "".join(problems), int(bool(problems)))


def _descend(path: str, place: Path, depth: int) -> Iterator[tuple[str, Path, int]]:
    yield path, place, depth
    if place.is_dir() and not place.is_symlink():
        for inner in sorted(place.iterdir()):
            yield from _descend(f"{path.rstrip('/')}/{inner.name}", inner, depth + 1)


Test = Callable[[Path], bool]


def _tests(words: list[str]) -> tuple[list[Test], tuple[int, int]]:
    tests: list[Test] = []
    least, most = 0, 1000
    is_negated = False
    while words:
        word = words.pop(0)
        if word in ("-not", "!"):
            is_negated = True
            continue
        if word in ("-print", "-empty"):
            test: Test | None = _is_empty if word == "-empty" else None
        elif not words:
            raise UsageProblem(f"find: missing argument to `{word}'")
        elif word in ("-maxdepth", "-mindepth"):
            depth, test = whole_number("find", words.pop(0), "depth"), None
            least, most = (depth, most) if word == "-mindepth" else (least, depth)
        else:
            test = _test(word, words.pop(0))
        if test is not None:
            tests.append(_not(test) if is_negated else test)
        is_negated = False
    return tests, (least, most)


def _test(word: str, value: str) -> Test:
    if word == "-name":
        return lambda place: matches(place.name, value)
    if word == "-iname":
        return lambda place: matches(place.name.lower(), value.lower())
    if word == "-type" and value in ("f", "d"):
        return lambda place: (place.is_dir() if value == "d" else place.is_file()) and not place.is_symlink()
    if word == "-size":
        unit = {"c": 1, "k": 1024, "M": 1024**2}.get(value[-1:], 512)
        count = whole_number("find", value.strip("+-ckMb"), "size")
        if value.startswith("+"):
            return lambda place: -(-_size(place) // unit) > count
        if value.startswith("-"):
            return lambda place: -(-_size(place) // unit) < count
        return lambda place: -(-_size(place) // unit) == count
    raise UsageProblem(f"find: unknown predicate `{word}'")


def _is_empty(place: Path) -> bool:
    return not any(place.iterdir()) if place.is_dir() else place.stat().st_size == 0


def _not(test: Test) -> Test:
    return lambda place: not test(place)


def du(shell: ShellContext, arguments: Sequence[str], _stdin: str) -> Result:
    """Print the sum of file sizes in blocks of 4 KB; supports ``-s`` (total only) and ``-h`` (readable)."""
    switches, paths = options("du", arguments, "shacb")
    lines = []
    for path in paths or ["."]:
        place = shell.disk.place(path)
        for inner, one in _walk(path, place) if place.is_dir() and "s" not in switches else [(path, place)]:
            blocks = sum(-(-_size(each) // 4096) * 4 for each in [one, *one.rglob("*")])
            lines.append(f"{_human(blocks * 1024) if 'h' in switches else blocks}\t{inner}\n")
    return Result("".join(reversed(lines)))


def mkdir(shell: ShellContext, arguments: Sequence[str], _stdin: str) -> Result:
    """Create directories; ``-p`` also creates parents and accepts existing directories."""
    switches, paths = options("mkdir", arguments, "pv")

    def make(path: str) -> None:
        shell.disk.make_directory(path, parents="p" in switches)

    return _apply_to_each("mkdir: cannot create directory '{path}'", _require_operands("mkdir", paths), make)


def rmdir(shell: ShellContext, arguments: Sequence[str], _stdin: str) -> Result:
    """Remove empty directories."""
    _, paths = options("rmdir", arguments, "p")
    return _apply_to_each(
        "rmdir: failed to remove '{path}'",
        _require_operands("rmdir", paths),
        lambda path: shell.disk.entry(path).rmdir(),
    )


def rm(shell: ShellContext, arguments: Sequence[str], _stdin: str) -> Result:
    """Remove files; ``-r`` also removes directories, and ``-f`` ignores missing files."""
    switches, paths = options("rm", arguments, "rRfvi")

    def remove(path: str) -> None:
        try:
            place = shell.disk.entry(path)
        except FileNotFoundError:
            if "f" in switches:
                return
            raise
        if not place.is_dir() or place.is_symlink():
            place.unlink()
        elif {"r", "R"} & switches.keys():
            shutil.rmtree(place)
        else:
            raise IsADirectoryError(21, "", path)

    return _apply_to_each(
        "rm: cannot remove '{path}'", paths if "f" in switches else _require_operands("rm", paths), remove
    )


def touch(shell: ShellContext, arguments: Sequence[str], _stdin: str) -> Result:
    """Create empty files if they do not exist."""
    _, paths = options("touch", arguments, "acm")
    return _apply_to_each(
        "touch: cannot touch '{path}'", _require_operands("touch", paths), lambda path: shell.disk.target(path).touch()
    )


def cp(shell: ShellContext, arguments: Sequence[str], _stdin: str) -> Result:
    """Copy a file, or several files into a directory; ``-r`` also copies directories."""
    switches, paths = options("cp", arguments, "rRapvfn")

    def copy(source: str, target: Path) -> None:
        place = shell.disk.place(source)
        if not place.is_dir():
            shutil.copyfile(place, target)
        elif not {"r", "R", "a"} & switches.keys():
            raise UsageProblem(f"cp: -r not specified; omitting directory '{source}'")
        elif target.is_relative_to(place):
            raise UsageProblem(f"cp: cannot copy a directory, '{source}', into itself, '{paths[-1]}'")
        else:
            shutil.copytree(place, target, symlinks=True)

    return _transfer("cp", shell, paths, copy)


def mv(shell: ShellContext, arguments: Sequence[str], _stdin: str) -> Result:
    """Rename a file or move files into a directory; an existing target is replaced."""
    switches, paths = options("mv", arguments, "fvn")

    def move(source: str, target: Path) -> None:
        place = shell.disk.entry(source)
        if "n" in switches and target.exists():
            return
        if target.is_relative_to(place):
            raise UsageProblem(f"mv: cannot move '{source}' to a subdirectory of itself, '{paths[-1]}'")
        place.rename(target)

    return _transfer("mv", shell, paths, move)


def _transfer(name: str, shell: ShellContext, paths: Sequence[str], transfer: Callable[[str, Path], None]) -> Result:
    if len(paths) < 2:
        raise UsageProblem(
            f"{name}: missing destination file operand after '{paths[0]}'" if paths else f"{name}: missing file operand"
        )
    *sources, destination = paths
    try:
        target = shell.disk.target(destination)
    except OSError as error:
        raise UsageProblem(f"{name}: cannot create '{destination}': {error_message(error)}") from None
    if len(sources) > 1 and not target.is_dir():
        raise UsageProblem(f"{name}: target '{destination}' is not a directory")

    def transfer_into(source: str) -> None:
        name_of = Path(shell.disk.absolute(source)).name
        transfer(source, shell.disk.target(f"{destination.rstrip('/')}/{name_of}") if target.is_dir() else target)

    return _apply_to_each(name + ": cannot stat '{path}'", sources, transfer_into)


def _require_operands(name: str, paths: Sequence[str]) -> Sequence[str]:
    if not paths:
        raise UsageProblem(f"{name}: missing operand")
    return paths


def _apply_to_each(problem: str, paths: Sequence[str], act: Callable[[str], None]) -> Result:
    """Apply an action to each path; a failure does not affect the other paths."""
    problems = []
    for path in paths:
        try:
            act(path)
        except OSError as error:
            problems.append(f"{problem.format(path=path)}: {error_message(error)}\n")
    return Result("", "".join(problems), int(bool(problems)))


def basename(_shell: ShellContext, arguments: Sequence[str], _stdin: str) -> Result:
    """Print the last component of a path, without a suffix."""
    path, ending = _path_and_suffix("basename", arguments)
    name = path.rstrip("/").rpartition("/")[2] or "/"
    return Result((name.removesuffix(ending) if name != ending else name) + "\n")


def dirname(_shell: ShellContext, arguments: Sequence[str], _stdin: str) -> Result:
    """Print a path without its last component."""
    path, _ = _path_and_suffix("dirname", arguments)
    head, slash, _ = path.rstrip("/").rpartition("/")
    return Result((head or (slash or ".")) + "\n")


def _path_and_suffix(name: str, arguments: Sequence[str]) -> tuple[str, str]:
    if not arguments:
        raise UsageProblem(f"{name}: missing operand")
    return arguments[0], arguments[1] if len(arguments) > 1 else ""
