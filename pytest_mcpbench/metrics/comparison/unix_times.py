"""Time zones beside Unix times, which are the same moment in every zone."""

import re
from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.core.context.journal import ABSENT, field_value
from pytest_mcpbench.text.moments import time_zone

_ZONE = re.compile(r"time_?zone|tz", re.IGNORECASE)


def is_zone_of_unix_time(name: str, expected: Mapping[str, Any], entity: Any) -> bool:
    """Return whether a field of an entity is a time zone, or none, beside a Unix time.

    False where the expected fields have no Unix time: servers set both ends of an event anew, with their zones, when
    one moves, but not otherwise. False also where they ask for the zone, because they do not have the time beside it.
    """
    parent, _, last = name.rpartition(".")
    beside = f"{parent}.timestamp".lstrip(".")
    moves = any(each.rpartition(".")[2] == "timestamp" for each in expected)
    if not (_ZONE.fullmatch(last) and moves) or (name in expected and beside not in expected):
        return False
    zone = field_value(entity, name)
    if not str(field_value(entity, beside)).isdecimal():
        return False
    try:
        return zone is ABSENT or zone is None or (isinstance(zone, str) and (not zone or time_zone(zone) is not None))
    except ValueError:
        return False
