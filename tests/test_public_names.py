"""The names that ``pytest_mcpbench`` exports."""

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import pytest_mcpbench

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
IMPORT = re.compile(r"^(?:>>> )?\s*from (pytest_mcpbench[\w.]*) import", re.MULTILINE)


@pytest.mark.parametrize("name", pytest_mcpbench.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    assert getattr(pytest_mcpbench, name) is not None
    assert name in dir(pytest_mcpbench)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Taks'"):
        _ = pytest_mcpbench.Taks


def test_importing_the_package_imports_neither_pydantic_nor_mcp() -> None:
    code = "import pytest_mcpbench, sys; assert not {'pydantic', 'mcp', 'pytest'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_pages_import_public_names_only_except_single_metrics_and_the_key_facts_judge() -> None:
    modules = {(page.name, module) for page in PAGES for module in IMPORT.findall(page.read_text(encoding="utf-8"))}
    internal = {(page, module) for page, module in modules if module != "pytest_mcpbench"}
    allowed = ("pytest_mcpbench.metrics.", "pytest_mcpbench.judges.keyfacts", "pytest_mcpbench.text.paths")
    assert {pair for pair in internal if not pair[1].startswith(allowed)} == set()


SHOWN = {"Attachment", "Change", "Conversation", "Frequency", "Message", "Range", "Report", "Settings"}
"""Names that users see: of metrics, and of parts of the simulated servers' schemas."""


def test_no_two_classes_have_one_name() -> None:
    names = Counter(
        node.name
        for file in Path(pytest_mcpbench.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert {name for name, count in names.items() if count > 1} == SHOWN
