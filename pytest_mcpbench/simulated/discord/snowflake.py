"""Discord ids, which encode their creation time."""

from datetime import UTC, datetime

_EPOCH_MS = 1_420_070_400_000
_TIMESTAMP_SHIFT = 22


def snowflake(moment: datetime, number: int = 0) -> int:
    """Return the id of the ``number``-th object created at a moment."""
    return ((int(moment.timestamp() * 1000) - _EPOCH_MS) << _TIMESTAMP_SHIFT) + number


def moment_of(snowflake_id: str | int) -> datetime:
    """Decode an id to the time at which the object was created."""
    return datetime.fromtimestamp(((int(snowflake_id) >> _TIMESTAMP_SHIFT) + _EPOCH_MS) / 1000, UTC)
