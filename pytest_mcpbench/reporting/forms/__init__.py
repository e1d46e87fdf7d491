"""Forms of values in reports: elements, tables, grids, numbers, Markdown, and text that cannot do harm."""
