"""Descriptions of metrics, which reports show in their glossary."""

from pytest_mcpbench.metrics.catalogue import BUILT_IN, descriptions


def test_each_built_in_metric_has_a_sentence_of_its_own() -> None:
    found = descriptions()

    assert found.keys() == BUILT_IN.keys()
    assert [name for name, text in found.items() if not text.endswith(".") or "`" in text] == []
