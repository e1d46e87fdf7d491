"""Table at the end of a run: candidates of each stage, and why they were dropped."""

from collections.abc import Iterator, Sequence

from pytest_mcpbench.generation.pipeline.stages import StageCount

_MOST_REASONS = 3


def summary(counts: Sequence[StageCount]) -> str:
    """Return a row for each stage, with its most frequent reasons."""
    width = max(len("stage"), *(len(count.stage) for count in counts))
    lines = [f"{'stage':{width}}  {'in':>5}  {'kept':>5}  {'dropped':>7}  reasons"]
    for count in counts:
        numbers = f"{count.received:>5}  {count.kept:>5}  {count.dropped:>7}"
        lines.append(f"{count.stage:{width}}  {numbers}  {'; '.join(_reasons(count))}".rstrip())
    return "\n".join(lines)


def nothing_left(counts: Sequence[StageCount]) -> str:
    """Return the sentence about a run without a candidate at its end: the stage that kept none, and its reasons."""
    stage = next(count for count in counts if not count.kept)
    reasons = "; ".join(_reasons(stage)) or f"it found nothing in {stage.received} candidates"
    return f"nothing is left after the stage {stage.stage}: {reasons}"


def _reasons(count: StageCount) -> Iterator[str]:
    reasons = list(count.reasons.items())
    for reason, number in reasons[:_MOST_REASONS]:
        yield f"{reason} ({number})"
    if len(reasons) > _MOST_REASONS:
        yield f"{len(reasons) - _MOST_REASONS} more reasons"
