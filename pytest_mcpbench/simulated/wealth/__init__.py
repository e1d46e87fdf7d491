"""Wealth management: an invented market of funds, stocks and advice behind the tools of three services."""
