"""The names of loaders."""

import subprocess
import sys
from importlib import import_module

import pytest

from pytest_mcpbench.loaders.catalogue import BUILT_IN, default_loader


@pytest.mark.parametrize("name", BUILT_IN)
def test_each_name_leads_to_a_loader(name: str) -> None:
    module, _, attribute = BUILT_IN[name].partition(":")
    assert callable(getattr(import_module(module), attribute))


def test_naming_a_loader_imports_none() -> None:
    code = (
        "import sys; import pytest_mcpbench.loaders.catalogue; "
        "print([name for name in sys.modules if name.startswith('pytest_mcpbench.loaders.') or name == 'yaml'])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "['pytest_mcpbench.loaders.catalogue']"


@pytest.mark.parametrize(
    ("file", "loader"),
    [
        ("a.yaml", "native"),
        ("a.YML", "native"),
        ("a.jsonl", "native"),
        ("a.json", "native"),
        ("a.csv", None),
        ("a", None),
    ],
)
def test_the_ending_of_a_file_tells_the_loader_where_it_can(file: str, loader: str | None) -> None:
    assert default_loader(file) == loader
