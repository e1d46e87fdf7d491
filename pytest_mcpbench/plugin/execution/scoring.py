"""Scoring of attempts with the metrics of their suites."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_mcpbench.core.evidence import AttemptEvidence
    from pytest_mcpbench.core.judgement import Question
    from pytest_mcpbench.core.score import JudgedMetric, Metric, Score, Scorecard
    from pytest_mcpbench.core.task import Task
    from pytest_mcpbench.plugin.collection.jobs import Job


class Scorer:
    """Metrics of jobs, configured once for all jobs of a suite that have the same ones."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._metrics: dict[tuple[int, tuple[str, ...]], dict[str, Metric]] = {}

    def scorecard(self, job: "Job", task: "Task", evidence: "AttemptEvidence") -> "Scorecard":
        """Apply every metric of the job to the evidence."""
        from pytest_mcpbench.core.score import scorecard

        return scorecard(task, evidence, self.metrics(job), job.floors, job.criteria)

    def score(self, job: "Job", task: "Task", evidence: "AttemptEvidence", name: str) -> "Score":
        """Return the score of a metric that the task does not need. Raises KeyError if no metric has the name."""
        from pytest_mcpbench.core.score import scorecard
        from pytest_mcpbench.plugin.collection.catalogue import catalogue_of
        from pytest_mcpbench.text.suggestions import hint

        catalogue = catalogue_of(self._config)
        if name not in catalogue.metrics:
            raise KeyError(f"no metric is called {name!r}. {hint(name, catalogue.metrics)}")
        metric = catalogue.metric(name, job.suite.metric_settings.get(name, {}))
        return scorecard(task, evidence, {name: metric}, {}).scores[name]

    def metrics(self, job: "Job") -> "dict[str, Metric]":
        """Return the job's metrics by name, with the settings of its suite."""
        key = (id(job.suite), job.metric_names)  # a suite lives as long as its items, so the id is not used again
        if key not in self._metrics:
            from pytest_mcpbench.core.planning import planned_metric_settings
            from pytest_mcpbench.plugin.collection.catalogue import catalogue_of

            catalogue = catalogue_of(self._config)
            self._metrics[key] = {
                name: catalogue.metric(name, planned_metric_settings(job.suite, name)) for name in job.metric_names
            }
        return self._metrics[key]

    def judged_metrics(self, job: "Job") -> "dict[str, JudgedMetric]":
        """Return those of the job's metrics that ask a judge."""
        from pytest_mcpbench.core.score import JudgedMetric

        return {name: metric for name, metric in self.metrics(job).items() if isinstance(metric, JudgedMetric)}

    def questions(self, job: "Job", task: "Task", evidence: "AttemptEvidence") -> "Iterator[Question]":
        """Yield the questions of the job's metrics for a judge."""
        for metric in self.judged_metrics(job).values():
            yield from metric.questions(task, evidence)
