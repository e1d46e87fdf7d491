"""Speed of a model that says how long it has read and written."""

from dataclasses import dataclass, replace

from pytest_mcpbench.core.usage import Usage


@dataclass(frozen=True)
class Speed:
    """Tokens of all replies of a model, and the seconds that it took to compute them."""

    read_tokens: int = 0
    """Tokens of prompts that were computed."""
    cached_tokens: int = 0
    """Tokens of prompts that a cache had."""
    read_seconds: float = 0.0
    written_tokens: int = 0
    written_seconds: float = 0.0

    @property
    def read_per_second(self) -> float | None:
        """Computed tokens of prompts per second; ``None`` if none was computed."""
        return self.read_tokens / self.read_seconds if self.read_tokens and self.read_seconds else None

    @property
    def written_per_second(self) -> float | None:
        """Written tokens per second; ``None`` if none was written."""
        return self.written_tokens / self.written_seconds if self.written_tokens and self.written_seconds else None

    @property
    def cached_share(self) -> float | None:
        """Share of the tokens of prompts that the cache had; ``None`` without any."""
        prompts = self.read_tokens + self.cached_tokens
        return self.cached_tokens / prompts if prompts else None

    def with_reply(self, usage: Usage, *, read_seconds: float, seconds: float) -> "Speed":
        """Return the speed with one more reply; one whose tokens are unknown is not counted."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return self
        cached = min(usage.cached_tokens or 0, usage.input_tokens)
        return replace(
            self,
            read_tokens=self.read_tokens + usage.input_tokens - cached,
            cached_tokens=self.cached_tokens + cached,
            read_seconds=self.read_seconds + read_seconds,
            written_tokens=self.written_tokens + usage.output_tokens,
            written_seconds=self.written_seconds + max(0.0, seconds - read_seconds),
        )
