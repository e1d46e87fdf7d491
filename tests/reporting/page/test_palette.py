"""Contrast of colours (WCAG 2.2, 1.4.3 and 1.4.11), on light and dark ground."""

import pytest

from pytest_mcpbench.reporting.charts.heatmap import STRONGEST
from pytest_mcpbench.reporting.charts.palette import DARK, LIGHT, SERIES

MARKS = [*(f"series-{number}" for number in range(1, SERIES + 1)), "pass", "fail", "error", "unscored", "accent"]
SHADES = {"accent": STRONGEST, "pass": 0.16, "fail": 0.16, "error": 0.16, "unscored": 0.18}
"""Strongest shade of each colour behind text: cells of heatmaps, and of the tasks by model."""


def luminance(colour: tuple[float, ...]) -> float:
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    darker, lighter = sorted(map(luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def channels(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["paper", "raised"])
def test_marks_and_text_stand_out(colours: dict[str, str], ground: str) -> None:
    below = channels(colours[ground])
    assert {name for name in MARKS if contrast(channels(colours[name]), below) < 3} == set()
    assert {name for name in ("ink", "muted") if contrast(channels(colours[name]), below) < 4.5} == set()


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("name", "share"), SHADES.items())
def test_text_stands_out_in_shaded_cells(colours: dict[str, str], name: str, share: float) -> None:
    mixed = zip(channels(colours[name]), channels(colours["paper"]), strict=True)
    shaded = tuple(share * over + (1 - share) * under for over, under in mixed)
    assert contrast(channels(colours["ink"]), shaded) >= 4.5
