"""Time zones beside Unix times, which are the same moment in every zone."""

import re
from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.core.context.journal import ABSENT, field_value
from pytest_mcpbench.text.moments import time_zone

_ZONE = re.compile(r"time_?zone|tz", re.IGNORECASE)


def is_zone_of_unix_time(name: str, expected: Mapping[str, Any], entity: Any) -> bool:
    """Return whether a field of an entity is a time zone, or none, beside a Unix time.

    False where the zone is what the expected fields ask for, because they do not have the time.
    """
    parent, _, last = name.rpartition(".")
    beside = f"{parent}.timestamp".lstrip(".")
    if not _ZONE.fullmatch(last) or (name in expected and beside not in expected):
        return False
    zone = field_value(entity, name)
    return str(field_value(entity, beside)).isdecimal() and (zone is ABSENT or _is_zone(zone))


def _is_zone(value: Any) -> bool:
    try:
        return value is None or (isinstance(value, str) and (not value or time_zone(value) is not None))
    except ValueError:
        return False
