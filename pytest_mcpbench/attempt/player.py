"""Player of single attempts at the tasks of a suite, each in a fresh sandbox."""

from pytest_mcpbench.agents.agent import Agent
from pytest_mcpbench.agents.users.dialogue import ScriptedUser, User
from pytest_mcpbench.attempt.attempt import Attempt, AttemptResult
from pytest_mcpbench.attempt.run import run_attempt
from pytest_mcpbench.attempt.sandbox import open_sandbox
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Judge, Question
from pytest_mcpbench.core.planning import AttemptPlan, Overrides, TaskPlan, plan_task, planned_metric_settings
from pytest_mcpbench.core.score import JudgedMetric, Metric, Scorecard, scorecard
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.metrics.catalogue import resolve


class Player:
    """Player of attempts, scored with the floors of the suite as in a run without options.

    Args:
        suite: The suite that the tasks belong to.
        pool: The connections to its servers.
        judge: The judge of metrics that need one; without a judge they are unscored.
    """

    def __init__(self, suite: SuiteManifest, pool: ServerPool, judge: Judge | None = None) -> None:
        self.suite = suite
        self._pool = pool
        self._judge = judge
        self._metrics: dict[str, Metric] = {}

    async def play(
        self, task: Task, agent: Agent, identity: str = "", *, trial: int = 1, user: User | None = None
    ) -> AttemptResult:
        """Play one attempt.

        Args:
            task: The task.
            agent: The agent that attempts it.
            identity: Text in place of the task's id as the seed of generated ids.
            trial: Number of the attempt, from 1.
            user: User who answers the agent; by default the script of the task, if it has one.
        """
        plan = self.plan(task)
        judged = [metric for metric in self._metrics_of(plan).values() if isinstance(metric, JudgedMetric)]

        def questions(task: Task, evidence: AttemptEvidence) -> list[Question]:
            return [question for metric in judged for question in metric.questions(task, evidence)]

        seeded = task.model_copy(update={"id": identity}) if identity else task
        with open_sandbox(seeded, self.suite.directory) as sandbox:
            attempt = Attempt(
                plan=AttemptPlan.of_task(plan, self.suite, model=agent.name, trial=trial),
                agent=agent,
                sandbox=sandbox,
                questions=questions,
                judge=self._judge if judged else None,
                user=None if self.suite.route else user or _user(plan.task),
            )
            return await run_attempt(attempt, self._pool)

    def score(self, task: Task, evidence: AttemptEvidence) -> Scorecard:
        """Return the scores of the metrics that have a floor."""
        plan = self.plan(task)
        return scorecard(plan.task, evidence, self._metrics_of(plan), plan.floors)

    def plan(self, task: Task) -> TaskPlan:
        """Return the limits, floors and metrics of a task."""
        return plan_task(self.suite, task, Overrides())

    def _metrics_of(self, plan: TaskPlan) -> dict[str, Metric]:
        for name in plan.floors:
            if name not in self._metrics:
                self._metrics[name] = resolve(name, planned_metric_settings(self.suite, name))
        return {name: self._metrics[name] for name in plan.floors}


def _user(task: Task) -> User | None:
    """Return the user whom the task's script plays; ``None`` without a script, because no model plays users here."""
    return ScriptedUser(task.user.script) if task.user is not None and task.user.script else None
