"""Xiaohongshu (Rednote): notes by many people, as seen, liked and written by one account."""
