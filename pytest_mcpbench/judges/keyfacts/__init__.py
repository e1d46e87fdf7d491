"""Rules that decide without a model whether an answer states a claim, or say that they cannot."""
