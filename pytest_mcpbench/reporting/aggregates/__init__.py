"""Numbers about runs: aggregates with every denominator, comparisons, causes of failures."""
