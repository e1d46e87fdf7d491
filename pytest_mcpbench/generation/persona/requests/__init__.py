"""What the user asks for, by app: every request was written by hand."""
