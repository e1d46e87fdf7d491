"""Terminal: sessions, processes and a small shell that is simulated; nothing is run on the host."""
