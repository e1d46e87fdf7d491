"""Commands of the simulated shell that show and change directories: ls, find, cp and their kin."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pytest_mcpbench.simulated.files.glob import matches
from pytest_mcpbench.simulated.terminal.command import Result, Surroundings, UsageProblem, options, whole_number
from pytest_mcpbench.simulated.terminal.disk import said

_DIRECTORY_SIZE = 4096


def pwd(shell: Surroundings, _arguments: Sequence[str], _stdin: str) -> Result:
    """The directory in which the shell is."""
    return Result(shell.disk.current + "\n")


def cd(shell: Surroundings, arguments: Sequence[str], _stdin: str) -> Result:
    """Without an argument to the home directory; ``-`` is the directory before."""
    given = path = arguments[0] if arguments else shell.disk.home
    path = shell.variables.get("OLDPWD", shell.disk.home) if path == "-" else path
    place = shell.disk.place(path)
    if not place.is_dir():
        raise NotADirectoryError(20, "", path)
    shell.variables["OLDPWD"] = shell.disk.current
    shell.disk.current = shell.variables["PWD"] = shell.disk.view.display_path(place)
    return Result(f"{shell.disk.current}\n" if given == "-" else "")


def ls(shell: Surroundings, arguments: Sequence[str], _stdin: str) -> Result:
    """``-a -A -l -h -1 -R -r -S -d -p -F -t``; one name a line, as always where the output is no screen."""
    given, paths = options("ls", arguments, "aAlh1RrSdpFt")
    files: list[tuple[str, Path]] = []
    directories: list[tuple[str, Path]] = []
    problems = []
    for path in paths or ["."]:
        try:
            place = shell.disk.place(path)
            (directories if place.is_dir() and "d" not in given else files).append((path, place))
        except OSError as error:
            problems.append(f"ls: cannot access '{path}': {said(error)}\n")
    blocks = [_rows(shell, files, given)] if files else []
    if "R" in given:
        directories = [inner for path, place in directories for inner in _walked(path, place)]
    for path, place in directories:
        head = f"{path}:\n" if len(paths) > 1 or "R" in given else ""
        blocks.append(head + _listed(shell, place, given))
    return Result("\n".join(blocks), "".join(problems), 2 if problems else 0)


def _walked(path: str, place: Path) -> Iterator[tuple[str, Path]]:
    yield path, place
    for inner in sorted(place.iterdir()):
        if inner.is_dir() and not inner.is_symlink() and not inner.name.startswith("."):
            yield from _walked(f"{path.rstrip('/')}/{inner.name}", inner)


def _listed(shell: Surroundings, place: Path, given: dict[str, str]) -> str:
    shown = [one for one in sorted(place.iterdir()) if {"a", "A"} & given.keys() or not one.name.startswith(".")]
    entries = [(one.name, one) for one in shown]
    if "a" in given:
        entries = [(".", place), ("..", place.parent), *entries]
    total = f"total {sum(-(-_size(one) // 4096) * 4 for _, one in entries)}\n" if "l" in given else ""
    return total + _rows(shell, entries, given)


def _rows(shell: Surroundings, entries: list[tuple[str, Path]], given: dict[str, str]) -> str:
    in_order = sorted(entries, key=lambda one: -_size(one[1]) if "S" in given else 0)
    if "r" in given:
        in_order.reverse()
    names = [(name + ("/" if {"p", "F"} & given.keys() and place.is_dir() else ""), place) for name, place in in_order]
    if "l" not in given:
        return "".join(f"{name}\n" for name, _ in names)
    sizes = [_human(_size(place)) if "h" in given else str(_size(place)) for _, place in names]
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
    """As ``ls -h`` and ``du -h`` round: upwards, with one decimal below ten."""
    amount, unit = float(size), ""
    for unit in ("", "K", "M", "G"):
        if amount < 1024 or unit == "G":
            break
        amount /= 1024
    if not unit:
        return str(size)
    tenths = -(-amount * 10 // 1)
    return f"{tenths / 10:.1f}{unit}" if tenths < 100 else f"{-(-amount // 1):.0f}{unit}"


def find(shell: Surroundings, arguments: Sequence[str], _stdin: str) -> Result:
    """``-name -iname -type f|d -maxdepth -mindepth -size +Nk -empty -not``; all of them must hold."""
    starts = []
    left = list(arguments)
    while left and not left[0].startswith(("-", "!")):
        starts.append(left.pop(0))
    tests, depths = _tests(left)
    found, problems = [], []
    for start in starts or ["."]:
        try:
            place = shell.disk.place(start)
        except OSError as error:
            problems.append(f"find: '{start}': {said(error)}\n")
            continue
        for path, one, depth in _descended(start, place, 0):
            if depths[0] <= depth <= depths[1] and all(test(one) for test in tests):
                found.append(path)
    return Result("".join(f"{path}\n" for path in found), "".join(problems), int(bool(problems)))


def _descended(path: str, place: Path, depth: int) -> Iterator[tuple[str, Path, int]]:
    yield path, place, depth
    if place.is_dir() and not place.is_symlink():
        for inner in sorted(place.iterdir()):
            yield from _descended(f"{path.rstrip('/')}/{inner.name}", inner, depth + 1)


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
        return _size_test(value)
    raise UsageProblem(f"find: unknown predicate `{word}'")


def _size_test(value: str) -> Test:
    unit = {"c": 1, "k": 1024, "M": 1024**2}.get(value[-1:], 512)
    count = whole_number("find", value.strip("+-ckMb"), "size")
    if value.startswith("+"):
        return lambda place: -(-_size(place) // unit) > count
    if value.startswith("-"):
        return lambda place: -(-_size(place) // unit) < count
    return lambda place: -(-_size(place) // unit) == count


def _is_empty(place: Path) -> bool:
    return not any(place.iterdir()) if place.is_dir() else place.stat().st_size == 0


def _not(test: Test) -> Test:
    return lambda place: not test(place)


def du(shell: Surroundings, arguments: Sequence[str], _stdin: str) -> Result:
    """The sum of the sizes of files, in blocks of 4 KB; ``-s`` only the total, ``-h`` readable."""
    given, paths = options("du", arguments, "shacb")
    lines = []
    for path in paths or ["."]:
        place = shell.disk.place(path)
        for inner, one in _walked(path, place) if place.is_dir() and "s" not in given else [(path, place)]:
            blocks = sum(-(-_size(each) // 4096) * 4 for each in [one, *one.rglob("*")])
            lines.append(f"{_human(blocks * 1024) if 'h' in given else blocks}\t{inner}\n")
    return Result("".join(reversed(lines)))


def mkdir(shell: Surroundings, arguments: Sequence[str], _stdin: str) -> Result:
    """``-p`` makes parents and minds no directory that is there."""
    given, paths = options("mkdir", arguments, "pv")

    def make(path: str) -> None:
        shell.disk.make_directory(path, parents="p" in given)

    return _each("mkdir: cannot create directory '{path}'", _some("mkdir", paths), make)


def rmdir(shell: Surroundings, arguments: Sequence[str], _stdin: str) -> Result:
    """Empty directories only."""
    _, paths = options("rmdir", arguments, "p")
    return _each("rmdir: failed to remove '{path}'", _some("rmdir", paths), lambda path: shell.disk.entry(path).rmdir())


def rm(shell: Surroundings, arguments: Sequence[str], _stdin: str) -> Result:
    """``-r`` directories too, ``-f`` without a word about what is not there."""
    given, paths = options("rm", arguments, "rRfvi")

    def remove(path: str) -> None:
        try:
            place = shell.disk.entry(path)
        except FileNotFoundError:
            if "f" in given:
                return
            raise
        if not place.is_dir() or place.is_symlink():
            place.unlink()
        elif {"r", "R"} & given.keys():
            shutil.rmtree(place)
        else:
            raise IsADirectoryError(21, "", path)

    return _each("rm: cannot remove '{path}'", paths if "f" in given else _some("rm", paths), remove)


def touch(shell: Surroundings, arguments: Sequence[str], _stdin: str) -> Result:
    """Makes an empty file where there is none."""
    _, paths = options("touch", arguments, "acm")
    return _each("touch: cannot touch '{path}'", _some("touch", paths), lambda path: shell.disk.target(path).touch())


def cp(shell: Surroundings, arguments: Sequence[str], _stdin: str) -> Result:
    """``-r`` directories too; several files into a directory."""
    given, paths = options("cp", arguments, "rRapvfn")

    def copy(source: str, target: Path) -> None:
        place = shell.disk.place(source)
        if not place.is_dir():
            shutil.copyfile(place, target)
        elif not {"r", "R", "a"} & given.keys():
            raise UsageProblem(f"cp: -r not specified; omitting directory '{source}'")
        elif target.is_relative_to(place):
            raise UsageProblem(f"cp: cannot copy a directory, '{source}', into itself, '{paths[-1]}'")
        else:
            shutil.copytree(place, target, symlinks=True)

    return _transferred("cp", shell, paths, copy)


def mv(shell: Surroundings, arguments: Sequence[str], _stdin: str) -> Result:
    """Renames, or moves into a directory; what stands at the target is replaced."""
    given, paths = options("mv", arguments, "fvn")

    def move(source: str, target: Path) -> None:
        place = shell.disk.entry(source)
        if "n" in given and target.exists():
            return
        if target.is_relative_to(place):
            raise UsageProblem(f"mv: cannot move '{source}' to a subdirectory of itself, '{paths[-1]}'")
        place.rename(target)

    return _transferred("mv", shell, paths, move)


def _transferred(name: str, shell: Surroundings, paths: Sequence[str], transfer: Callable[[str, Path], None]) -> Result:
    if len(paths) < 2:
        raise UsageProblem(
            f"{name}: missing destination file operand after '{paths[0]}'" if paths else f"{name}: missing file operand"
        )
    *sources, destination = paths
    try:
        target = shell.disk.target(destination)
    except OSError as error:
        raise UsageProblem(f"{name}: cannot create '{destination}': {said(error)}") from None
    if len(sources) > 1 and not target.is_dir():
        raise UsageProblem(f"{name}: target '{destination}' is not a directory")

    def into(source: str) -> None:
        name_of = Path(shell.disk.absolute(source)).name
        transfer(source, shell.disk.target(f"{destination.rstrip('/')}/{name_of}") if target.is_dir() else target)

    return _each(name + ": cannot stat '{path}'", sources, into)


def _some(name: str, paths: Sequence[str]) -> Sequence[str]:
    if not paths:
        raise UsageProblem(f"{name}: missing operand")
    return paths


def _each(problem: str, paths: Sequence[str], act: Callable[[str], None]) -> Result:
    """Do the same with each path; what is wrong with one does not keep others from it."""
    problems = []
    for path in paths:
        try:
            act(path)
        except OSError as error:
            problems.append(f"{problem.format(path=path)}: {said(error)}\n")
    return Result("", "".join(problems), int(bool(problems)))


def basename(_shell: Surroundings, arguments: Sequence[str], _stdin: str) -> Result:
    """The last step of a path, without an ending."""
    path, ending = _path_and_ending("basename", arguments)
    name = path.rstrip("/").rpartition("/")[2] or "/"
    return Result((name.removesuffix(ending) if name != ending else name) + "\n")


def dirname(_shell: Surroundings, arguments: Sequence[str], _stdin: str) -> Result:
    """A path without its last step."""
    path, _ = _path_and_ending("dirname", arguments)
    head, slash, _ = path.rstrip("/").rpartition("/")
    return Result((head or (slash or ".")) + "\n")


def _path_and_ending(name: str, arguments: Sequence[str]) -> tuple[str, str]:
    if not arguments:
        raise UsageProblem(f"{name}: missing operand")
    return arguments[0], arguments[1] if len(arguments) > 1 else ""
