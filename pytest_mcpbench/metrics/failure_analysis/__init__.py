"""Labels for what went wrong in an attempt, in the taxonomies of the benchmarks."""
