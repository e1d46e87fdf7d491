"""No module and no package of ours takes part in an import cycle, function-level imports included."""

import ast
import functools
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import pytest_mcpbench

ROOT = Path(pytest_mcpbench.__file__).parent
# One worker reads the modules for all tests.
pytestmark = pytest.mark.xdist_group("imports")

Graph = dict[str, set[str]]


def test_no_module_takes_part_in_an_import_cycle() -> None:
    assert cycles(_import_graph()) == []


def test_no_package_takes_part_in_an_import_cycle() -> None:
    graph = _import_graph()
    packages = {module.rpartition(".")[0] for module in graph}
    found = {package: cycles(_children(package, graph)) for package in sorted(packages)}
    assert {package: each for package, each in found.items() if each} == {}


def test_a_cycle_is_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a", "d"}}
    assert cycles(graph) == [["b", "c"]]


def test_a_cycle_of_packages_is_found() -> None:
    graph = {"p.a.x": {"p.b.y"}, "p.b.y": set(), "p.b.z": {"p.a.x"}}
    assert cycles(graph) == []
    assert cycles(_children("p", graph)) == [["p.a", "p.b"]]


def cycles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected components with more than one node."""
    reachable = {node: _reachable(node, graph) for node in graph}
    components = {
        tuple(sorted({node, *(other for other in reachable[node] if node in reachable.get(other, ()))}))
        for node in graph
    }
    return [list(component) for component in sorted(components) if len(component) > 1]


def _reachable(node: str, graph: Mapping[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = [node]
    while waiting:
        for target in graph.get(waiting.pop(), ()):
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return seen


def _children(package: str, graph: Graph) -> Graph:
    """Return the imports between the modules and subpackages of one package, each subpackage as one node."""
    children: Graph = {}
    for module, targets in graph.items():
        child = _child(package, module)
        if child is not None:
            others = {other for target in targets if (other := _child(package, target)) not in (None, child)}
            children.setdefault(child, set()).update(other for other in others if other is not None)
    return children


def _child(package: str, module: str) -> str | None:
    if not module.startswith(f"{package}."):
        return None
    return ".".join(module.split(".")[: package.count(".") + 2])


@functools.cache
def _import_graph() -> Graph:
    files = {_module_name(path): path for path in ROOT.rglob("*.py")}
    return {module: set(_imports(module, path, files)) for module, path in files.items()}


def _module_name(path: Path) -> str:
    parts = (ROOT.name, *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(module: str, path: Path, files: Mapping[str, Path]) -> Iterator[str]:
    """Yield the modules of ours that are imported anywhere in the file, also only for type checking."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            source = _absolute(node, module, is_package=path.name == "__init__.py")
            targets = [full if (full := f"{source}.{alias.name}") in files else source for alias in node.names]
        else:
            continue
        yield from (target for target in targets if target in files and target != module)


def _absolute(node: ast.ImportFrom, module: str, *, is_package: bool) -> str:
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    base = parts[: len(parts) - node.level + is_package]
    return ".".join([*base, *([node.module] if node.module else [])])
