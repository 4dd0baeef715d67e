"""What grows out of memories: digests of days, weeks, months and years, topics, and candidates that wait (S4).

Each area has a module of plain functions over a connection and a façade of verbs. A client writes the texts; nothing
here calls a model.
"""
