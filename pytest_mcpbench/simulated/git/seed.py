"""Initial repositories of an attempt: repositories of a design studio."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

_EMAILS = {
    "Ian Castellan": "ian.castellan@fernhill.example",
    "Priya Raman": "priya.raman@fernhill.example",
    "Sofia Marchetti": "sofia.marchetti@fernhill.example",
    "Tomás Herrera": "tomas.herrera@fernhill.example",
}
_IAN, _PRIYA, _SOFIA, _TOMAS = _EMAILS

Edits = tuple[tuple[str, str], ...]
"""Pairs of an old text and its replacement."""


class _History:
    """Builder of a repository's history."""

    def __init__(self) -> None:
        self._files: dict[str, dict[str, str]] = {}
        self._branches: dict[str, str] = {}
        self.commits: list[dict[str, Any]] = []

    def commit(  # noqa: PLR0913 (each is a fact of the commit)
        self,
        author: str,
        when: str,
        message: str,
        changes: Mapping[str, str | Edits | None],
        *,
        branch: str = "main",
        merged_branch: str | None = None,
    ) -> str:
        """Commit to a branch, which is created at the tip of ``main`` if it does not exist, and return the commit's id.

        The changes of a merged branch replace the files of the branch that it is merged into.
        """
        parent = self._branches.get(branch, self._branches.get("main"))
        before = self._files[parent] if parent else {}
        files = {path: _new_text(before, path, change) for path, change in changes.items()}
        if merged_branch:
            files |= self._files[self._branches[merged_branch]]
        commit_id = f"c{len(self.commits) + 1}"
        parents = [parent, *([self._branches[merged_branch]] if merged_branch else [])] if parent else []
        facts = {"author": author, "email": _EMAILS[author], "when": when, "message": message}
        self.commits.append({"id": commit_id, "branch": branch, "parents": parents, **facts, "files": files})
        self._branches[branch] = commit_id
        self._files[commit_id] = {path: text for path, text in {**before, **files}.items() if text is not None}
        return commit_id

    def as_json(
        self, tags: Mapping[str, str], working: Mapping[str, str | Edits | None] | None = None
    ) -> dict[str, Any]:
        """Return the history as JSON, with ``main`` checked out."""
        before = self._files[self._branches["main"]]
        working_changes = {path: _new_text(before, path, change) for path, change in (working or {}).items()}
        return {"head": "main", "commits": self.commits, "tags": dict(tags), "working": working_changes}


def _new_text(files: Mapping[str, str], path: str, change: str | Sequence[tuple[str, str]] | None) -> str | None:
    if change is None or isinstance(change, str):
        return change
    text = files[path]
    for old, new in change:
        if old not in text:
            raise ValueError(f"{path} has no {old!r}")
        text = text.replace(old, new)
    return text


def seed() -> dict[str, Any]:
    """Return a new copy of the repositories on each call."""
    tree: dict[str, Any] = json.loads(_seed_text())
    return tree


@cache
def _seed_text() -> str:
    repositories = {
        "repos/configurator": _configurator(),
        "repos/lamp-controller": _lamp_controller(),
        "repos/studio-site": _studio_site(),
        "repos/hours-report": _hours_report(),
        "repos/shelf-labels": _shelf_labels(),
        "repos/lantern-guide": _lantern_guide(),
    }
    return json.dumps({"repositories": repositories})


_PRICES = """{
  "currency": "EUR",
  "per_square_metre": {
    "ash": 148.0,
    "oak": 176.0,
    "larch": 97.0,
    "linoleum": 64.0
  },
  "edge_per_metre": 22.5,
  "waste_percent": 12,
  "rush_surcharge_percent": 15
}
"""
_RULES = """MAX_SPAN_MM = 1400
MIN_THICKNESS_MM = 24


def needs_support(span_mm, thickness_mm):
    return span_mm > MAX_SPAN_MM or thickness_mm < MIN_THICKNESS_MM
"""


def _configurator() -> dict[str, Any]:
    history = _History()
    commit = history.commit
    commit(
        _IAN,
        "2025-09-08T10:12:00+00:00",
        "Start the counter configurator",
        {
            "README.md": "# Counter configurator\n\nPrices a counter from its measurements.\n",
            "pricing.json": _PRICES,
            "rules.py": _RULES,
        },
    )
    first = commit(
        _IAN,
        "2025-09-26T16:40:00+00:00",
        "Release 1.0",
        {"CHANGELOG.md": "# Changelog\n\n## 1.0\n\n- Counters in four materials\n"},
    )
    commit(
        _PRIYA,
        "2025-10-14T09:05:00+00:00",
        "Raise the price of oak after Oakline's new list",
        {"pricing.json": (('"oak": 176.0', '"oak": 189.5'),)},
    )
    commit(
        _SOFIA,
        "2025-11-03T13:22:00+00:00",
        "Allow longer spans for steel-backed tops",
        {"rules.py": (("MAX_SPAN_MM = 1400", "MAX_SPAN_MM = 1650"),)},
    )
    commit(
        _IAN,
        "2025-11-17T11:48:00+00:00",
        "Fix rounding of edge lengths\n\nLengths were cut to centimetres; the Kelp Bar offer was 31.60 EUR too low.",
        {"rounding.py": "def edge_length(mm):\n    return round(mm / 1000, 3)\n"},
    )
    second = commit(
        _IAN,
        "2025-12-01T15:30:00+00:00",
        "Release 1.1",
        {"CHANGELOG.md": (("# Changelog\n", "# Changelog\n\n## 1.1\n\n- Longer spans\n- Exact edges\n"),)},
    )
    commit(
        _PRIYA,
        "2026-01-12T08:55:00+00:00",
        "Count 14 percent waste for ash",
        {"pricing.json": (('"waste_percent": 12', '"waste_percent": 14'),)},
    )
    commit(
        _SOFIA,
        "2026-01-29T17:10:00+00:00",
        "Offer felt panels",
        {"pricing.json": (('    "linoleum": 64.0\n', '    "linoleum": 64.0,\n    "felt": 71.5\n'),)},
        branch="felt-panels",
    )
    commit(
        _SOFIA,
        "2026-02-18T10:31:00+00:00",
        "Lower the felt price to what Woolcraft quoted",
        {"pricing.json": (('"felt": 71.5', '"felt": 66.0'),)},
        branch="felt-panels",
    )
    commit(
        _PRIYA,
        "2026-02-05T14:02:00+00:00",
        "Charge more for rush orders",
        {"pricing.json": (('"rush_surcharge_percent": 15', '"rush_surcharge_percent": 20'),)},
    )
    commit(
        _IAN,
        "2026-02-24T09:47:00+00:00",
        "Check thickness before span",
        {
            "rules.py": (
                ("span_mm > MAX_SPAN_MM or thickness_mm < MIN", "thickness_mm < MIN"),
                ("_THICKNESS_MM\n", "_THICKNESS_MM or span_mm > MAX_SPAN_MM\n"),
            )
        },
        branch="strict-rules",
    )
    return history.as_json({"v1.0": first, "v1.1": second})


_LAMPS = """[ring]
count = 14
max_current_ma = 700
fade_seconds = 4
evening_level_percent = 55

[wall]
count = 9
max_current_ma = 450
fade_seconds = 6
evening_level_percent = 40
"""


def _lamp_controller() -> dict[str, Any]:
    history = _History()
    commit = history.commit
    commit(
        _TOMAS,
        "2025-10-02T12:00:00+00:00",
        "Add the lamp groups of Harbour Hall",
        {"lamps.ini": _LAMPS, "README.md": "# Lamp controller\n\nLevels and currents of the lamps in Harbour Hall.\n"},
    )
    commit(
        _IAN,
        "2025-11-21T09:18:00+00:00",
        "Write levels to the log",
        {"log.py": "def line(group, level):\n    return f'{group}: {level} %'\n"},
    )
    commit(
        _TOMAS,
        "2026-01-09T16:25:00+00:00",
        "Dim the ring to 48 percent in the evening\n\nDaniel Harmon found it too bright on the test evening.",
        {"lamps.ini": (("evening_level_percent = 55", "evening_level_percent = 48"),)},
    )
    release = commit(
        _IAN,
        "2026-01-16T10:00:00+00:00",
        "Release 0.9",
        {"VERSION": "0.9\n"},
    )
    commit(
        _TOMAS,
        "2026-02-11T07:52:00+00:00",
        "Slow the fade of the wall lamps",
        {"lamps.ini": (("fade_seconds = 6", "fade_seconds = 9"),)},
    )
    commit(
        _PRIYA,
        "2026-02-20T11:36:00+00:00",
        "Plan two more wall lamps",
        {"lamps.ini": (("count = 9", "count = 11"),)},
    )
    working: dict[str, str | Edits | None] = {
        "lamps.ini": (("max_current_ma = 700", "max_current_ma = 640"),),
        "measurements.txt": "ring, 26 Feb: 631 mA at full level\nwall, 26 Feb: 402 mA at full level\n",
    }
    return history.as_json({"v0.9": release}, working)


def _studio_site() -> dict[str, Any]:
    history = _History()
    commit = history.commit
    commit(
        _IAN,
        "2025-09-15T09:00:00+00:00",
        "Begin the new site",
        {
            "index.md": "# Fernhill\n\nWe build rooms that people remember.\n",
            "team.md": "# Team\n\n- Nora Lindqvist\n- Julia Behrens\n- Priya Raman\n- Tomás Herrera\n",
            "opening-hours.md": "Workshop: Monday to Friday, 08:00 to 17:00\n",
        },
    )
    commit(
        _SOFIA,
        "2025-10-22T15:11:00+00:00",
        "Add Sofia and Bea to the team",
        {"team.md": (("- Tomás Herrera\n", "- Tomás Herrera\n- Sofia Marchetti\n- Bea Novak\n"),)},
    )
    commit(
        _PRIYA,
        "2025-12-08T10:45:00+00:00",
        "Announce Harbour Hall",
        {"news/harbour-hall.md": "# Harbour Hall\n\nThe board said yes. We finish in May 2026.\n"},
    )
    commit(
        _PRIYA,
        "2026-01-14T09:20:00+00:00",
        "Correct the month in which Harbour Hall is finished",
        {"news/harbour-hall.md": (("May 2026", "June 2026"),)},
    )
    commit(
        _IAN,
        "2026-01-19T13:05:00+00:00",
        "Put the newsletter form on the first page",
        {"index.md": (("remember.\n", "remember.\n\nNewsletter: letters@fernhill.example\n"),)},
        branch="newsletter",
    )
    commit(
        _IAN,
        "2026-01-22T08:40:00+00:00",
        "Merge branch 'newsletter'",
        {},
        merged_branch="newsletter",
    )
    commit(
        _SOFIA,
        "2026-02-09T16:58:00+00:00",
        "Close the workshop earlier on Fridays",
        {"opening-hours.md": "Workshop: Monday to Thursday, 08:00 to 17:00; Friday, 08:00 to 14:30\n"},
    )
    return history.as_json({})


_REPORT = """[report]
round_to_hours = 0.25
count_meetings = yes
"""


def _hours_report() -> dict[str, Any]:
    history = _History()
    commit = history.commit
    commit(
        _IAN,
        "2025-10-06T08:30:00+00:00",
        "Start the hours report",
        {"report.ini": _REPORT, "README.md": "# Hours report\n\nSums the hours of a month.\n"},
    )
    commit(
        _SOFIA,
        "2025-11-12T14:18:00+00:00",
        "Leave closed projects out",
        {"closed.txt": "KLP\nORC\n"},
    )
    first = commit(_IAN, "2025-12-15T10:05:00+00:00", "Release 1.0", {"VERSION": "1.0\n"})
    commit(
        _IAN,
        "2026-01-21T09:50:00+00:00",
        "Round to half hours",
        {"report.ini": (("round_to_hours = 0.25", "round_to_hours = 0.5"),)},
    )
    commit(
        _PRIYA,
        "2026-02-04T16:12:00+00:00",
        "Leave meetings out",
        {"report.ini": (("count_meetings = yes", "count_meetings = no"),)},
    )
    second = commit(_IAN, "2026-02-09T11:25:00+00:00", "Release 1.1", {"VERSION": "1.1\n"})
    commit(
        _SOFIA,
        "2026-02-12T13:40:00+00:00",
        "Show hours by phase",
        {"phases.py": "PHASES = ('concept', 'drawings', 'workshop', 'site', 'meetings')\n"},
        branch="by-phase",
    )
    commit(
        _SOFIA,
        "2026-02-20T09:15:00+00:00",
        "Sort phases by hours",
        {"sorting.py": "def largest_first(hours):\n    return sorted(hours, reverse=True)\n"},
        branch="by-phase",
    )
    return history.as_json({"v1.0": first, "v1.1": second})


_LABEL = """[label]
width_mm = 62
supplier_lines = 1
font_size = 11
"""


def _shelf_labels() -> dict[str, Any]:
    history = _History()
    commit = history.commit
    commit(
        _TOMAS,
        "2025-11-05T07:40:00+00:00",
        "Print labels for the shelves",
        {"label.ini": _LABEL, "README.md": "# Shelf labels\n\nLabels for the materials library.\n"},
    )
    commit(
        _IAN,
        "2025-12-03T15:33:00+00:00",
        "Add a bar code",
        {"barcode.py": "def code(material, shelf):\n    return f'{shelf}-{material[:4].upper()}'\n"},
    )
    release = commit(_IAN, "2026-01-14T12:00:00+00:00", "Release 2.0", {"VERSION": "2.0\n"})
    commit(
        _TOMAS,
        "2026-02-16T08:20:00+00:00",
        "Put the supplier above the bar code, too",
        {"label.ini": (("supplier_lines = 1", "supplier_lines = 2"),)},
    )
    working: dict[str, str | Edits | None] = {"label.ini": (("font_size = 11", "font_size = 13"),)}
    return history.as_json({"v2.0": release}, working)


_STATIONS = """room,station,seconds,loudness
1,The keeper and his logbook,135,62
1,Five wicks,95,62
2,The chart of the shoals,120,64
2,Night watch,150,64
3,The lens,145,66
3,A foghorn in the fog,80,74
4,The rescue rocket,110,65
4,The bell of the Anna,125,65
"""
_DANISH = """station,title
The keeper and his logbook,Fyrpasseren og hans logbog
Five wicks,Fem væger
The chart of the shoals,Kortet over grundene
The lens,Linsen
A foghorn in the fog,Et tågehorn i tågen
The bell of the Anna,Klokken fra Anna
"""


def _lantern_guide() -> dict[str, Any]:
    history = _History()
    commit = history.commit
    commit(
        _PRIYA,
        "2026-01-13T10:20:00+00:00",
        "Begin the audio guide of Lantern",
        {"stations.csv": _STATIONS, "README.md": "# Audio guide\n\nStations of the guide through Lantern.\n"},
    )
    release = commit(_IAN, "2026-02-03T14:10:00+00:00", "Release 0.1", {"VERSION": "0.1\n"})
    commit(
        _SOFIA,
        "2026-02-10T09:35:00+00:00",
        "Tell more about the lens",
        {"stations.csv": (("The lens,145", "The lens,190"),)},
    )
    commit(
        _IAN,
        "2026-02-13T08:50:00+00:00",
        "Translate the titles into Danish",
        {"danish.csv": _DANISH},
        branch="danish",
    )
    commit(
        _PRIYA,
        "2026-02-19T16:05:00+00:00",
        "Take the painting out\n\nIts lender has not signed yet. It comes back when the contract is there.",
        {"stations.csv": (("2,Night watch,150,64\n", ""),)},
    )
    commit(
        _SOFIA,
        "2026-02-24T11:15:00+00:00",
        "Tell of the storm lanterns",
        {"stations.csv": (("4,The rescue rocket", "4,Two storm lanterns,225,65\n4,The rescue rocket"),)},
    )
    return history.as_json({"v0.1": release})
