"""Tools of the simulated personal apps beside those of the real servers, as docs/reference/fidelity.md states them."""

import re
from pathlib import Path

import pytest
import yaml

from tests.suites import shipped

REAL = yaml.safe_load((Path(__file__).parent / "real_parameters.yaml").read_text(encoding="utf-8"))
PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "fidelity.md").read_text(encoding="utf-8")
UNKNOWN = {"universal_email"}
"""Apps of whose real server nothing public could be read but the names of its tools."""


def _simulated(server: str) -> dict[str, set[str]]:
    return {
        tool.tool: {
            f"{name}*" if name in tool.input_schema.get("required", ()) else name
            for name in tool.input_schema.get("properties", {})
        }
        for tool in shipped.tools("persona")
        if tool.server == server
    }


@pytest.mark.parametrize("server", REAL)
def test_the_page_states_how_many_tools_and_parameters_are_those_of_the_real_server(server: str) -> None:
    simulated, real = _simulated(server), {tool: set(text.split()) for tool, text in REAL[server]["tools"].items()}
    shared = simulated.keys() & real.keys()
    same = sum(len(simulated[tool] & real[tool]) for tool in shared)
    every = sum(len(simulated[tool] | real[tool]) for tool in shared)
    row = re.search(rf"^\| `{server}` \|.*$", PAGE, re.MULTILINE)
    assert row is not None
    assert [cell.strip() for cell in row[0].split("|")[3:5]] == [
        f"{len(shared)} of {len(simulated)}",
        f"{same} of {every}",
    ]


def test_every_personal_app_has_a_row() -> None:
    assert len(REAL) + len(UNKNOWN) == 12
    assert all(f"| `{server}` |" in PAGE for server in (*REAL, *UNKNOWN))
