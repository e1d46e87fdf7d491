"""Statistics over tasks, trials and models: repetition, uncertainty, comparison, ranks, agreement.

Closed forms use the standard library; resampling uses numpy, imported when first needed. scipy and statsmodels hold
the same formulas, but they are heavy to install and to import for what is a few lines here.
"""

from pytest_mcpbench.core.statistics.agreement import Agreement, LabelAgreement, agreement
from pytest_mcpbench.core.statistics.comparison import Comparison, compare
from pytest_mcpbench.core.statistics.detection import detectable_share, smallest_significant_share
from pytest_mcpbench.core.statistics.groups import Aggregate, MetricValue, aggregate, group_by
from pytest_mcpbench.core.statistics.intervals import (
    Interval,
    bootstrap_mean,
    bootstrap_ratio,
    mean_interval,
    paired_shares,
    pass_rate_interval,
    wilson,
)
from pytest_mcpbench.core.statistics.paired_tests import exact_mcnemar, sign_flip
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
    "detectable_share",
    "exact_mcnemar",
    "group_by",
    "mean_interval",
    "micro",
    "paired_shares",
    "pass_at_k",
    "pass_hat_k",
    "pass_rate_interval",
    "pass_rates",
    "rank_upper_bound",
    "sign_flip",
    "smallest_significant_share",
    "wilson",
]
