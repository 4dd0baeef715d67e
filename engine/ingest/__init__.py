"""The write path: a draft is checked and completed, then stored with everything derived from it in one transaction."""
