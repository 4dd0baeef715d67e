"""Reads beside recall: search by words, tags and meaning, filtered search, patterns, scored recall, browsing by day."""
