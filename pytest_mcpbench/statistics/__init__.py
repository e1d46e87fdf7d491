"""Statistics over tasks, trials and models: repetition, uncertainty, comparison, ranks, agreement.

Closed forms use the standard library; resampling uses numpy, imported when first needed. scipy and statsmodels hold
the same formulas, but they are heavy to install and to import for what is a few lines here.
"""

from pytest_mcpbench.statistics.agreement import Agreement, LabelAgreement, agreement
from pytest_mcpbench.statistics.comparison import (
    Comparison,
    compare,
    cre,
    detectable_share,
    rank_upper_bound,
    smallest_significant_share,
)
from pytest_mcpbench.statistics.exact_tests import exact_mcnemar, sign_flip
from pytest_mcpbench.statistics.groups import (
    Aggregate,
    MetricValue,
    aggregate,
    group_by,
    micro,
    pass_at_k,
    pass_hat_k,
    pass_rates,
)
from pytest_mcpbench.statistics.intervals import (
    Interval,
    bootstrap_mean,
    bootstrap_ratio,
    mean_interval,
    paired_shares,
    pass_rate_interval,
    wilson,
)

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
