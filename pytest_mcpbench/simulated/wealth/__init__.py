"""Wealth management: an invented market of funds, stocks and advice, served with the tools of three services."""
