"""Xiaohongshu (Rednote): notes of many people, seen, liked and written by one account."""
