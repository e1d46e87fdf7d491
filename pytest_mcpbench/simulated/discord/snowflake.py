"""Discord's ids, which hold the moment in which they were made."""

from datetime import UTC, datetime

_EPOCH_MS = 1_420_070_400_000
_BITS_BEHIND_THE_MOMENT = 22


def snowflake(moment: datetime, number: int = 0) -> int:
    """The id of the ``number``-th thing made in a moment."""
    return ((int(moment.timestamp() * 1000) - _EPOCH_MS) << _BITS_BEHIND_THE_MOMENT) + number


def moment_of(snowflake_id: str | int) -> datetime:
    """When the thing with the id was made."""
    return datetime.fromtimestamp(((int(snowflake_id) >> _BITS_BEHIND_THE_MOMENT) + _EPOCH_MS) / 1000, UTC)
