"""Results as Markdown tables and as an SVG curve."""

from collections.abc import Iterable, Sequence
from typing import Any

_WIDTH, _HEIGHT, _MARGIN = 640, 400, 60
_COLOURS = ("#1f6feb", "#bf3989")


def markdown(results: dict[str, Any]) -> str:
    """Return all tables, with a description of the machine that they were measured on."""
    machine = results["machine"]
    conditions = (
        f"{machine['processors']} processors, Python {machine['python']}, medians of {machine['rounds']} rounds"
    )
    conditions += f", load of other work at the start {machine['load']:.1f}"
    parts = [f"# Results\n\n{conditions}."]
    if results["goals"]:
        parts.append("## Goals\n\n" + _table(("", "measured", "goal", "reached"), map(_goal_cells, results["goals"])))
    if rows := results.get("compare"):
        parts.append("## Side by side\n\n" + _table(_COLUMNS, map(_comparison_cells, rows)))
    if rows := results.get("growth"):
        heads = ("task", "tasks", "seconds", "processor seconds", "ms a task", "peak MB")
        parts.append("## Cost against size\n\n![](growth.svg)\n\n" + _table(heads, map(_growth_cells, rows)))
    return "\n\n".join(parts) + "\n"


_COLUMNS = (
    "workload",
    "harness",
    "tasks",
    "in flight",
    "seconds",
    "of which start",
    "limit / actual",
    "ms a task",
    "processor ms a task",
    "peak MB",
    "MB a task",
)


def _comparison_cells(row: dict[str, Any]) -> tuple[str, ...]:
    efficiency = row["efficiency"]
    return (
        row["workload"],
        row["harness"],
        str(row["tasks"]),
        str(row["concurrency"]),
        f"{row['seconds']:.2f}",
        f"{row['start_seconds']:.2f}",
        "" if efficiency is None else f"{100 * efficiency:.0f} %",
        f"{1000 * row['task_seconds']:.1f}",
        f"{1000 * row['task_processor_seconds']:.1f}",
        f"{row['peak_mb']:.0f}",
        f"{row['task_mb']:.2f}",
    )


def _growth_cells(row: dict[str, Any]) -> tuple[str, ...]:
    each = 1000 * row["processor_seconds"] / row["tasks"]
    numbers = (row["seconds"], row["processor_seconds"], each, row["peak_mb"])
    return (row["kind"], str(row["tasks"]), *(f"{number:.1f}" for number in numbers))


def _goal_cells(row: dict[str, Any]) -> tuple[str, ...]:
    return row["name"], f"{row['value']:.3g}", row["goal"], "yes" if row["reached"] else "no"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def curve(rows: list[dict[str, Any]]) -> str:
    """Return a chart of processor seconds by number of tasks as SVG.

    Both axes are linear, so that linear cost appears as a straight line.
    """
    most_tasks = max(row["tasks"] for row in rows)
    most_seconds = max(row["processor_seconds"] for row in rows)

    def at(row: dict[str, Any]) -> tuple[float, float]:
        across = _MARGIN + row["tasks"] / most_tasks * (_WIDTH - 2 * _MARGIN)
        up = _HEIGHT - _MARGIN - row["processor_seconds"] / most_seconds * (_HEIGHT - 2 * _MARGIN)
        return across, up

    kinds = dict.fromkeys(row["kind"] for row in rows)
    lines = [
        _line(kind, [at(row) for row in rows if row["kind"] == kind], colour)
        for kind, colour in zip(kinds, _COLOURS, strict=False)
    ]
    return "\n".join((_frame(most_tasks, most_seconds), *lines, "</svg>\n"))


def _line(name: str, points: Sequence[tuple[float, float]], colour: str) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points)
    x, y = points[-1]
    label = f'<text x="{x - 8:.1f}" y="{y - 8:.1f}" text-anchor="end" fill="{colour}">{name}</text>'
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>{dots}{label}'


def _frame(most_tasks: int, most_seconds: float) -> str:
    left, right, top, bottom = _MARGIN, _WIDTH - _MARGIN, _MARGIN, _HEIGHT - _MARGIN
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif"'
    return "\n".join(
        (
            f'{head} font-size="13"><rect width="100%" height="100%" fill="white"/>',
            f'<path d="M{left},{top} V{bottom} H{right}" fill="none" stroke="black"/>',
            f'<text x="{right}" y="{bottom + 20}" text-anchor="end">{most_tasks:,} tasks</text>',
            f'<text x="{left}" y="{top - 12}">{most_seconds:.1f} processor seconds</text>',
            f'<text x="{left - 12}" y="{bottom + 20}">0</text>',
        )
    )
