"""Workload for DeepEval's ``evaluate()``, with our own agent and a metric that needs no model."""

import asyncio
import os

os.environ |= {"DEEPEVAL_TELEMETRY_OPT_OUT": "1", "DEEPEVAL_NO_INSPECT_PROMPT": "1", "DEEPEVAL_DISABLE_DOTENV": "1"}

from deepeval import evaluate
from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig
from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase
from own_agent import WORK, Agent, questions


class Contains(BaseMetric):
    """Metric that passes if the answer contains the expected text."""

    threshold = 1.0
    async_mode = True
    score = reason = error = None
    evaluation_model = None
    evaluation_cost = None

    def measure(self, test_case, *_, **__):
        self.score = float(test_case.expected_output in test_case.actual_output)
        self.success = self.score == 1.0
        return self.score

    async def a_measure(self, test_case, *_, **__):
        return self.measure(test_case)

    def is_successful(self):
        return self.success

    @property
    def __name__(self):
        return "contains"


async def answers():
    """Return the agent's answer to each question."""
    async with Agent() as agent:
        return await asyncio.gather(*(agent.answer(question) for question in questions()))


def main():
    """Answer all questions and evaluate the answers."""
    cases = [
        LLMTestCase(input=question, actual_output=answer, expected_output="value of k")
        for question, answer in zip(questions(), asyncio.run(answers()), strict=True)
    ]
    result = evaluate(
        cases,
        [Contains()],
        async_config=AsyncConfig(max_concurrent=WORK["concurrency"]),
        display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
        cache_config=CacheConfig(write_cache=False),
    )
    assert len(result.test_results) == WORK["tasks"]
    assert all(test.success for test in result.test_results)


main()
