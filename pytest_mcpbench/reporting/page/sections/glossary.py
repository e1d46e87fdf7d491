"""Section with the meaning of the metrics and terms that the page uses."""

from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup

from pytest_mcpbench.reporting.page.sections.suite_results import SuiteResults
from pytest_mcpbench.reporting.tables.section import Section, plain
from pytest_mcpbench.text.natural_order import natural_key

_ALWAYS = {
    "pass rate": "The mean over tasks of the share of each task's trials that passed; errors are not part of it, and "
    "unscored attempts make it a range.",
    "95 % interval": "The range that contains the true value in 95 of 100 such experiments; over tasks, whose trials "
    "stay together. Wilson's interval where all trials of each task agree, else the bootstrap.",
    "n": "The number of attempts behind a value: the denominator.",
    "error": "An attempt that could not be made or scored; never counted as 0.",
    "unscored": "An attempt without a value of a score that has a floor; it neither passed nor failed.",
    "n/a": "A score that has nothing to measure in a task.",
    "floor": "The least value that a score must reach for the attempt to pass.",
}
_OF_TRIALS = {
    "pass@k": "The estimated share of tasks that are solved at least once in k trials.",
    "pass^k": "The estimated share of tasks that are solved in all of k trials.",
}
_OF_MODELS = {
    "rank (UB)": "1 + the number of models whose interval lies wholly above.",
    "p": "The probability of a difference at least as large if both were equally good (exact paired test).",
    "Pareto front": "The models that no other one beats in one value without losing in the other.",
}
TERMS = {**_ALWAYS, **_OF_TRIALS, **_OF_MODELS}
"""Terms with their meanings, which are the same in ``docs/reference/glossary.md``."""
WITHOUT_DESCRIPTION = "A metric of this project, without a description."


def glossary_section(results: Sequence[SuiteResults], descriptions: Mapping[str, str]) -> Section:
    """Return the metrics of the results with their descriptions, and the terms of the tables that they have."""
    items = Markup().join(
        Markup("<dt>{}</dt><dd>{}</dd>").format(plain(name), plain(meaning))
        for name, meaning in glossary(results, descriptions)
    )
    return Section("glossary", "Glossary", Markup('<dl class="glossary">{}</dl>').format(items))


def glossary(results: Sequence[SuiteResults], descriptions: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each used metric, then each used term, with its meaning."""
    summaries = [summary for each in results for summary in each.summaries]
    for name in sorted({name for summary in summaries for name in summary.metrics}, key=natural_key):
        yield name, descriptions.get(name, WITHOUT_DESCRIPTION)
    yield from _ALWAYS.items()
    if any(summary.repetition for summary in summaries):
        yield from _OF_TRIALS.items()
    if any(len(each.summaries) > 1 for each in results):
        yield from _OF_MODELS.items()
