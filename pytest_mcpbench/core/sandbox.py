"""What one attempt may change: its worlds, its scratch directory, its clock and its ids."""
