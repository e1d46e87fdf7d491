"""Drugs, health statistics and medical articles as public databases offer them."""
