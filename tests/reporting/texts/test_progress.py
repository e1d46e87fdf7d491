"""How far a run has come, in a line."""

import pytest

from pytest_mcpbench.reporting.texts.progress import Progress, line


@pytest.mark.parametrize(
    ("progress", "said"),
    [
        (Progress(120, 515, 96, 60.0, "32 in flight", 1.2), "120/515 · 32 in flight · 96/min · cost $1.20 · 4:07 left"),
        (
            Progress(120, 515, 0, 60.0, "", None, ahead=7, passed=70, verdicts=110),
            "120/515 (7 ahead) · 64 % passed · cost ?",
        ),
        (Progress(0, 515, 0, 0.5, "8 in flight", 0.0), "0/515 · 8 in flight · cost $0"),
        (Progress(1, 2, 1, 4000.0, "", None), "1/2 · 0.015/min · cost ? · 1:06:40 left"),
        (Progress(2, 2, 2, 1.0, "0 in flight", 0.5), "2/2 · 0 in flight · 120/min · cost $0.5000 · 0:00 left"),
    ],
    ids=["under way", "ahead of the order", "nothing reported yet", "slow, at an unknown price", "done"],
)
def test_the_line_says_what_is_known(progress: Progress, said: str) -> None:
    assert line(progress, 100) == f"mcpbench: {said}"


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (90, "3023/3090 (12 ahead) · 36 % passed · 2 running · 1,164/min · cost $0 · 0:03 left"),
        (80, "3023/3090 (12 ahead) · 36 % passed · 2 running · cost $0 · 0:03 left"),
        (70, "3023/3090 (12 ahead) · 36 % passed · cost $0 · 0:03 left"),
        (56, "3023/3090 · 36 % passed · cost $0 · 0:03 left"),
        (30, "3023/3090 · 36 % pas"),
    ],
)
def test_a_narrow_line_leaves_out_what_is_least_needed(columns: int, said: str) -> None:
    progress = Progress(3023, 3090, 582, 30.0, "2 running", 0.0, ahead=12, passed=1078, verdicts=3000)
    assert line(progress, columns) == f"mcpbench: {said}"
    assert len(line(progress, columns)) <= columns


def test_the_time_left_of_a_slow_model_falls_while_an_attempt_runs() -> None:
    left = [Progress(1, 3, 1, 330.0, "", 0.0, idle_seconds=idle).seconds_left for idle in (0, 30, 300, 330, 400)]
    assert left == [660, 630, 360, 330, 365]
