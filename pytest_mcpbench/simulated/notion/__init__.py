"""Notion: the pages, databases, blocks and comments of a company's workspace."""
