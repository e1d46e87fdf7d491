"""Times of a context tree of 10,000 entities: reset, one change, diff. Run: ``python benchmarks/context_tree.py``."""

import time
from collections.abc import Callable
from typing import Any

from pytest_mcpbench.core.context import Collection, ContextTree, Shape

CALENDARS, EVENTS = 100, 99
DECLARED = Shape((Collection("calendars"), Collection("calendars[*].events")))


def world() -> dict[str, Any]:
    """Return 100 calendars with 99 events each: 10,000 entities, 60,000 values."""
    return {"calendars": {f"c{number}": _calendar(number) for number in range(CALENDARS)}}


def _calendar(number: int) -> dict[str, Any]:
    return {
        "title": f"Calendar {number}",
        "events": {
            f"e{each}@mail.example": {
                "summary": f"Event {each}",
                "start": {"date_time": "2026-03-02T10:00:00", "zone": "UTC"},
                "attendees": [f"person{each}@mail.example"],
            }
            for each in range(EVENTS)
        },
    }


def milliseconds(action: Callable[[], object], repeats: int = 20) -> float:
    """Return the shortest time of several runs of an action."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def with_changes(before: ContextTree, changes: int) -> ContextTree:
    """Return the tree with changes spread over its calendars."""
    tree = before.fork()
    for number in range(changes):
        tree.update(f"calendars[c{number % CALENDARS}].events[e{number % EVENTS}@mail.example]", {"changed": number})
    return tree


def measurements(shape: Shape) -> dict[str, float]:
    """Return all measured times in milliseconds, by name."""
    data = world()
    before = ContextTree.of(data, shape)
    one, thousand = with_changes(before, 1), with_changes(before, 1000)
    apart = ContextTree.of(before.to_json(), shape)
    elsewhere = ContextTree.of(with_changes(before, 100).to_json(), shape)
    return {
        "reset": milliseconds(lambda: ContextTree.of(data, shape).fork()),
        "one update": milliseconds(lambda: with_changes(before, 1)),
        "diff after 1 change": milliseconds(lambda: one.diff_from(before)),
        "diff after 1,000 changes": milliseconds(lambda: thousand.diff_from(before)),
        "diff of equal trees that share nothing": milliseconds(lambda: apart.diff_from(before)),
        "diff after 100 changes of trees that share nothing": milliseconds(lambda: elsewhere.diff_from(before)),
        "copy out": milliseconds(lambda: before.to_json()),
    }


if __name__ == "__main__":
    for name, shape in {"collections declared": DECLARED, "collections recognised": Shape()}.items():
        print(name)
        for measure, value in measurements(shape).items():
            print(f"{value:9.3f} ms  {measure}")
