"""Indexes over memories: words (FTS5) and vectors (usearch). All derived, all can be thrown away and rebuilt."""
