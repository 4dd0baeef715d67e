"""The tables as text to read, one tuple of statements a schema version; ``migrations.py`` applies them in order.

Canonical: memories, vitality, memory_tags, links, passages, vectors, atoms, aliases, topics, topic_names,
candidates, traits, trait_evidence, suggestions, journal, history, settings. Derived: lexical, digests,
digest_sources, memory_topics, and the graph (nodes, entries, mentions, entries_lexical, fact_vectors).
A shipped text here never changes; a change is a new step. Times are ``clock.to_text`` texts (UTC, fixed width),
lists and objects JSON text, flags 0/1.
"""

from engine.storage.schema.version_1 import VERSION_1
from engine.storage.schema.version_2 import VERSION_2
from engine.storage.schema.version_3 import VERSION_3

# "Hupo" in ASCII: tells this file from any other SQLite database.
APPLICATION_ID = 0x4875706F

__all__ = ["APPLICATION_ID", "VERSION_1", "VERSION_2", "VERSION_3"]
