"""The read path: from a question to explained memories."""
