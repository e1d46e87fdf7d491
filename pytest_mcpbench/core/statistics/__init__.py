"""Statistics over tasks, trials and models: repetition, uncertainty, comparison, ranks, agreement.

Closed forms use the standard library; resampling uses numpy, imported when first needed. scipy and statsmodels hold
the same formulas, but they are heavy to install and to import for what is a few lines here.
"""

from pytest_mcpbench.core.statistics.agreement import Agreement, LabelAgreement, agreement
from pytest_mcpbench.core.statistics.comparison import Comparison, compare, exact_mcnemar, smallest_significant_share
from pytest_mcpbench.core.statistics.groups import Aggregate, MetricValue, aggregate, group_by
from pytest_mcpbench.core.statistics.intervals import (
    Interval,
    bootstrap_mean,
    bootstrap_ratio,
    pass_rate_interval,
    wilson,
)
from pytest_mcpbench.core.statistics.pooling import micro, pass_rates
from pytest_mcpbench.core.statistics.ranking import cre, rank_upper_bound
from pytest_mcpbench.core.statistics.repetition import pass_at_k, pass_hat_k

__all__ = [
    "Aggregate",
    "Agreement",
    "Comparison",
    "Interval",
    "LabelAgreement",
    "MetricValue",
    "aggregate",
    "agreement",
    "bootstrap_mean",
    "bootstrap_ratio",
    "compare",
    "cre",
    "exact_mcnemar",
    "group_by",
    "micro",
    "pass_at_k",
    "pass_hat_k",
    "pass_rate_interval",
    "pass_rates",
    "rank_upper_bound",
    "smallest_significant_share",
    "wilson",
]
