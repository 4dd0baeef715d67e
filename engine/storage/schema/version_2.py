"""Version 2: atoms, the graph with its names, validity, and the rarer fields of a memory."""

from __future__ import annotations

from engine.text.terms import FTS_TOKENIZE

# What only some memories have (context, tone, residual, digest level, trigger …) is one JSON object: a column each
# would make every row wider and every scan slower for fields that most memories never have.
MEMORY_COLUMNS = (
    "ALTER TABLE memories ADD COLUMN valid_from TEXT",
    "ALTER TABLE memories ADD COLUMN valid_to TEXT",
    "ALTER TABLE memories ADD COLUMN superseded_by INTEGER",
    "ALTER TABLE memories ADD COLUMN surprise REAL",
    "ALTER TABLE memories ADD COLUMN details TEXT NOT NULL DEFAULT '{}'",
)

LINKS = """
CREATE TABLE links (
    memory_id INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    related_id INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    PRIMARY KEY (memory_id, related_id)
) STRICT, WITHOUT ROWID
"""

# A fact's life. Its words are in the entries of the memories that say it. A purged atom stays as a tombstone, so
# that making things anew from the memories does not wake a fact that has run out.
ATOMS = """
CREATE TABLE atoms (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    type TEXT NOT NULL,
    status TEXT NOT NULL,                   -- active dormant superseded expired forgotten purged needs_repair
    status_at TEXT NOT NULL,
    conversation_id TEXT,                   -- the scope within which it is told again
    persona_id TEXT,
    importance REAL NOT NULL,
    confidence REAL NOT NULL,
    event_time TEXT,
    created_at TEXT NOT NULL,
    last_accessed_at TEXT,
    last_reinforced_at TEXT,
    reinforcement_count INTEGER NOT NULL,
    ttl_days REAL NOT NULL,
    expires_at TEXT NOT NULL
) STRICT
"""

# The graph has no table of edges: two entities are related by the memories that mention both.
NODES = """
CREATE TABLE nodes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    type TEXT NOT NULL,                     -- topic person fact
    canonical TEXT NOT NULL,                -- folded name; of a fact, the key of its text
    UNIQUE (type, canonical)
) STRICT
"""

# One spelling of an entity: what is searched and shown; of a fact, its text, with a vector of its own.
ENTRIES = """
CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    node_id INTEGER NOT NULL REFERENCES nodes(id),
    text TEXT NOT NULL,
    UNIQUE (node_id, text)
) STRICT
"""

MENTIONS = """
CREATE TABLE mentions (
    memory_id INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    entry_id INTEGER NOT NULL REFERENCES entries(id),
    atom_id INTEGER REFERENCES atoms(id),   -- of a fact
    given INTEGER NOT NULL,                 -- 1: named by the writer; 0: read out of the text
    PRIMARY KEY (memory_id, entry_id)
) STRICT, WITHOUT ROWID
"""

# Which names mean whom, by the user's word; memory_id 0 = everywhere. The graph follows from it.
ALIASES = """
CREATE TABLE aliases (
    type TEXT NOT NULL,
    canonical TEXT NOT NULL,
    memory_id INTEGER NOT NULL,
    target TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (type, canonical, memory_id)
) STRICT, WITHOUT ROWID
"""

FACT_VECTORS = """
CREATE TABLE fact_vectors (
    identity_id INTEGER NOT NULL REFERENCES identities(id),
    entry_id INTEGER NOT NULL REFERENCES entries(id) ON DELETE CASCADE,
    vector BLOB NOT NULL,                   -- as in vectors
    UNIQUE (entry_id, identity_id)
) STRICT
"""

ENTRIES_LEXICAL = f"""
CREATE VIRTUAL TABLE entries_lexical USING fts5(
    terms, content = '', contentless_delete = 1, tokenize = "{FTS_TOKENIZE}"
)
"""

VERSION_2 = (
    *MEMORY_COLUMNS, LINKS, ATOMS, NODES, ENTRIES, MENTIONS, ALIASES, FACT_VECTORS, ENTRIES_LEXICAL,
    "CREATE INDEX memories_superseded ON memories (superseded_by) WHERE superseded_by IS NOT NULL",
    "CREATE INDEX links_related ON links (related_id)",
    "CREATE INDEX mentions_entry ON mentions (entry_id, memory_id)",
    "CREATE INDEX aliases_target ON aliases (type, target)",
    "CREATE INDEX mentions_given ON mentions (entry_id) WHERE given = 1",
    "CREATE INDEX mentions_atom ON mentions (atom_id) WHERE atom_id IS NOT NULL",
    "CREATE INDEX atoms_expiry ON atoms (expires_at) WHERE status IN ('active', 'dormant')",
    "CREATE INDEX atoms_ended ON atoms (status_at) WHERE status IN ('expired', 'forgotten')",
)  # fmt: skip
