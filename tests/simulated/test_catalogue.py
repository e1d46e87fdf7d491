"""The servers that ship are found by name, as suites name them and as the page lists them."""

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

from pytest_mcpbench.simulated import catalogue
from pytest_mcpbench.simulated.catalogue import SERVERS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "simulated-servers.md"
ROWS = re.findall(r"^\| `([\w-]+)` \| `([\w.]+:\w+)` \| .* \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def settings_of(address: str) -> list[str]:
    module, _, attribute = address.partition(":")
    return list(inspect.signature(getattr(import_module(module), attribute)).parameters)[1:]


def test_each_server_stands_on_the_page_with_its_address() -> None:
    assert sorted((name, address) for name, address, _ in ROWS) == sorted(SERVERS.items())


def test_each_setting_stands_on_the_page() -> None:
    shown = {name: re.findall(r"`(\w+)`", settings) for name, _, settings in ROWS}
    assert shown == {name: settings_of(address) for name, address in SERVERS.items()}


def test_every_name_is_an_attribute() -> None:
    for name, address in SERVERS.items():
        module, _, attribute = address.partition(":")
        assert getattr(catalogue, name) is getattr(import_module(module), attribute)


@pytest.mark.parametrize(("name", "hint"), [("slcak", "Did you mean 'slack'?"), ("qqq", "There are: amap-maps, ")])
def test_a_name_that_there_is_not_is_told_with_those_there_are(name: str, hint: str) -> None:
    with pytest.raises(AttributeError, match=f"^no simulated server is called '{name}'. {re.escape(hint)}"):
        getattr(catalogue, name)


def test_a_suite_of_ones_own_uses_a_simulated_server_by_name(pytester: pytest.Pytester) -> None:
    """The page's own example."""
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    page = PAGE.read_text(encoding="utf-8")
    for language, file in {"toml": "suite.toml", "yaml": "tasks.yaml"}.items():
        (text, *_) = re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        pytester.path.joinpath(file).write_text(text, encoding="utf-8")
    pytester.runpytest_inprocess("--suite=suite.toml", "--model=oracle").assert_outcomes(passed=1)
    pytester.runpytest_inprocess("--suite=suite.toml", "--model=noop").assert_outcomes(failed=1)
