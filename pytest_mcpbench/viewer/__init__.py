"""Local server of the page of runs: finished ones, and those that go on."""
