"""Terminal: sessions, processes and a small simulated shell; nothing runs on the host."""
