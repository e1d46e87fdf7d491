"""Capitals in texts whose case counts: the shipped suites' own metric settings must notice them."""

import pytest

from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.metrics.catalogue import resolve
from tests.builders import a_call, a_task, evidence_of, expected_call
from tests.suites import shipped


@pytest.mark.parametrize("metric", ["ast", "ast_calls", "dag_leaf", "dag_strict", "dag_node_f1"])
def test_toolbench_tells_file_contents_apart_that_differ_in_case(metric: str) -> None:
    settings = shipped.suite("toolbench").metric_settings[metric]
    task = a_task((expected_call("write_file", {"path": "a.txt", "content": "Pass-Word"}),))

    def write(content: str) -> CallRecord:
        return a_call("write_file", {"path": "a.txt", "content": content})

    values = [resolve(metric, settings)(task, evidence_of((write(text),))).value for text in ("Pass-Word", "PASS-WORD")]
    assert values == [1, 0]
