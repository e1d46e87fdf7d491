"""Gate on the difference between two arms: which tasks get fresh trials, the verdict, and its simulated error rates."""
