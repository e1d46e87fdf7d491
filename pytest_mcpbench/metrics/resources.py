"""Metric ``resources``: share of the expected resources that were read."""

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task


def resources(task: Task, evidence: AttemptEvidence) -> Score:
    """Expected resources that were read without an error / expected resources; order and other reads do not count.

    Not applicable to a task that expects none, and in route mode, where nothing is read.
    """
    expected = task.expected.resources
    if not expected:
        return Score.not_applicable("the task expects no resource to be read")
    reads = [read for read in evidence.trajectory.reads if read.kind == "resources/read"]
    read = {each.target for each in reads if not each.is_error}
    missing = [uri for uri in expected if uri not in read]
    reasons = []
    for uri in missing:
        failed = any(each.target == uri for each in reads)
        reasons.append(f"reading {uri} returned an error" if failed else f"{uri} was not read")
    return Score.share(len(expected) - len(missing), len(expected), reasons)
