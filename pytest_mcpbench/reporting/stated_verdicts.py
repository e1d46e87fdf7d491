"""Verdicts of a judge with their statements, also in records of versions that did not store these."""

import re
from collections.abc import Iterator

from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.record import RunRecord

_CLAIM = re.compile(r"claim \d+: (.*)", re.DOTALL)


def stated_verdicts(record: RunRecord) -> Iterator[Verdict]:
    """Yield the verdicts of an attempt, each with the statement of its question if it is known.

    A verdict without a statement is about one of the record's claims if the question about that claim has its key.
    """
    verdicts = record.evidence.verdicts if record.evidence else {}
    claims = {} if all(verdict.statement for verdict in verdicts.values()) else _claims_by_key(record)
    for key, verdict in verdicts.items():
        statement = verdict.statement or claims.get(key, "")
        yield verdict.model_copy(update={"statement": statement})


def _claims_by_key(record: RunRecord) -> dict[str, str]:
    answer = record.evidence.answer if record.evidence else ""
    claims = [found[1] for found in map(_CLAIM.fullmatch, record.expected) if found]
    requests = (None, record.prompt)
    return {Question.about_claim(claim, answer, request).key: claim for claim in claims for request in requests}
