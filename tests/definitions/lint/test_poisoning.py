"""Poisoned descriptions are found with their class, and none of many real ones is taken for poisoned."""

import ast
import json
import os
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_mcpbench.definitions.lint.poisoning import poisoning_of

POISONED = [json.loads(line) for line in Path(__file__).with_name("poisoned.jsonl").read_text("utf-8").splitlines()]
WHEELS = Path(os.environ.get("MCPBENCH_TEST_SERVERS", Path(__file__).parents[3] / ".venv-servers")) / "descriptions"


@pytest.mark.parametrize("half", ["tuning", "held out"])
def test_poisoned_descriptions_of_every_class_are_found(half: str) -> None:
    texts = [entry for entry in POISONED if entry["set"] == half]
    found = Counter(entry["class"] for entry in texts if poisoning_of(entry["text"]) is not None)
    assert set(found) == {entry["class"] for entry in POISONED}
    assert found.total() >= 55, f"{found.total()} of {len(texts)}: {found}"


def test_a_text_may_speak_of_tools_of_its_own_server() -> None:
    text = "After create_issue was called, the number is known."
    assert poisoning_of(text, {"create_issue"}) is None
    assert poisoning_of(text) == ("changes other tools", "After create_issue was called")


@pytest.mark.parametrize(
    "text",
    [
        "Reads a .env file and returns its variables.",
        "Send a mail to a recipient such as jane@example.com; always set a subject.",
        "api_key: Your API key; read from the environment variable WEATHER_KEY if omitted.",
        "Ignore the previous selection and start a new one.",
        "Silently ignores files that do not exist.",
        "Deletes the branch without asking for confirmation if force is true.",
        "You must call list_regions before this tool.",
        "The SHA-256 of the file, such as e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855.",
    ],
)
def test_what_an_honest_description_says_is_not_poisoned(text: str) -> None:
    assert poisoning_of(text) is None


@pytest.mark.extra
def test_no_description_of_real_servers_is_taken_for_poisoned() -> None:
    if not WHEELS.is_dir():
        pytest.skip(f"{WHEELS} is missing: run .ci/setup")
    texts = [text for wheel in sorted(WHEELS.glob("*.whl")) for text in texts_of_wheel(wheel)]
    assert len(texts) >= 500
    assert [(text, found) for text in texts if (found := poisoning_of(text))] == []


def texts_of_wheel(file: Path) -> Iterator[str]:
    """Yield the docstrings of tools, and the texts given as ``description``, in the modules of a wheel."""
    with zipfile.ZipFile(file) as wheel:
        for name in wheel.namelist():
            tree = ast.parse(wheel.read(name)) if name.endswith(".py") else ast.Module([], [])
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    is_tool = any("tool" in ast.unparse(decorator) for decorator in node.decorator_list)
                    yield from filter(None, [ast.get_docstring(node)] if is_tool else [])
                elif (
                    isinstance(node, ast.keyword) and node.arg == "description" and isinstance(node.value, ast.Constant)
                ):
                    yield str(node.value.value)
