"""Speed of a model in words."""

from pytest_mcpbench.core.speed import Speed


def short_speed(speed: Speed) -> str:
    """Return the speed for the progress line; empty before the first reply."""
    read, written = speed.read_per_second, speed.written_per_second
    return f"reads {_rate(read)}, writes {_rate(written)} tokens/s" if read and written else ""


def speed_line(name: str, speed: Speed) -> str:
    """Return the speed with its numbers of tokens, for the end of a run."""
    prompts = speed.read_tokens + speed.cached_tokens
    cached = f"{speed.cached_tokens:,} of {prompts:,} prompt tokens from the cache"
    share = "" if speed.cached_share is None else f" ({speed.cached_share * 100:.0f} %)"
    return (
        f"{name}: read {_rate(speed.read_per_second)} tokens/s ({speed.read_tokens:,} tokens), wrote "
        f"{_rate(speed.written_per_second)} tokens/s ({speed.written_tokens:,} tokens); {cached}{share}"
    )


def _rate(rate: float | None) -> str:
    return "?" if rate is None else f"{rate:.0f}" if rate >= 20 else f"{rate:.1f}"
