"""Majority of a panel of judges."""

from collections import Counter
from collections.abc import Sequence

from pytest_mcpbench.core.judgement import Verdict
from pytest_mcpbench.core.trajectory import NO_USAGE

_MOST_CHARACTERS_OF_REASON = 300


def majority_verdict(panel: str, votes: Sequence[Verdict]) -> Verdict:
    """Return the verdict of a panel: the label that more than half of all its members gave.

    Members without a verdict count as members: what they might have said can then never turn the verdict. Without
    such a label the verdict has an error that names each vote.
    """
    counts = Counter(vote.label for vote in votes if vote.label is not None and vote.error is None)
    label, count = counts.most_common(1)[0] if counts else (None, 0)
    is_decided = 2 * count > len(votes)
    agreeing = [vote for vote in votes if vote.label == label]
    return Verdict(
        label=label if is_decided else None,
        score=agreeing[0].score if is_decided else None,
        reason=f"{count} of {len(votes)} judges: {_reasons(agreeing)}" if is_decided else "",
        judge=panel,
        prompt_version=" ".join(dict.fromkeys(vote.prompt_version for vote in votes if vote.prompt_version)),
        error=None if is_decided else f"no label has a majority of {len(votes)} judges: {_labels(votes)}",
        usage=sum((vote.usage for vote in votes), NO_USAGE),
        votes=tuple(votes),
    )


def _reasons(votes: Sequence[Verdict]) -> str:
    return "; ".join(f"{vote.judge}: {vote.reason[:_MOST_CHARACTERS_OF_REASON]}" for vote in votes)


def _labels(votes: Sequence[Verdict]) -> str:
    return "; ".join(f"{vote.judge}: {vote.label or f'no verdict ({vote.error})'}" for vote in votes)
