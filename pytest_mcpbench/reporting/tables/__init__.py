"""Tables of reports, which terminal, Markdown and HTML render."""
