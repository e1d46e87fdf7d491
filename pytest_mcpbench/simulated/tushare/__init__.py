"""Stocks of the mainland exchanges and their income statements, for holders of a token."""
