"""Records, terminal output, HTML report and snapshots."""
