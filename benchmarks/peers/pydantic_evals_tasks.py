"""Workload for pydantic-evals, which evaluates our own agent."""

import asyncio

from own_agent import WORK, Agent, questions
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import Contains


async def main():
    """Evaluate all tasks."""
    cases = [Case(name=str(number), inputs=question) for number, question in enumerate(questions())]
    dataset = Dataset(name="bench", cases=cases, evaluators=[Contains(value="value of k")])
    async with Agent() as agent:
        report = await dataset.evaluate(agent.answer, max_concurrency=WORK["concurrency"], progress=False)
    assert len(report.cases) == WORK["tasks"], report.failures
    assert report.averages().assertions == 1.0


asyncio.run(main())
