"""Version 1: memories, what decays of them, passages and vectors, words, journal, history."""

from __future__ import annotations

from engine.text.terms import FTS_TOKENIZE

MEMORIES = """
CREATE TABLE memories (
    id INTEGER PRIMARY KEY AUTOINCREMENT,   -- never reused: history and clients refer to it
    uid TEXT NOT NULL UNIQUE,               -- ULID, the name outside
    -- What filters look at comes first, so that a scan need not follow long texts onto overflow pages.
    status TEXT NOT NULL,
    layer TEXT NOT NULL,
    category TEXT NOT NULL,
    importance REAL NOT NULL,               -- as given, 0..1
    sensitivity TEXT NOT NULL,
    pinned INTEGER NOT NULL,
    protected INTEGER NOT NULL,
    resolved INTEGER NOT NULL,
    conversation_id TEXT,                   -- NULL: user-wide
    session_id TEXT,
    persona_id TEXT,
    position INTEGER,                       -- place within (conversation, session), from 0
    source_agent TEXT NOT NULL,
    source_client TEXT NOT NULL,
    event_time TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    occurred_at TEXT NOT NULL CHECK (occurred_at = coalesce(event_time, created_at)),
    emotion_intensity REAL NOT NULL,
    valence REAL NOT NULL,
    mood TEXT NOT NULL,
    sentiment TEXT NOT NULL,
    content_key TEXT NOT NULL,              -- equal for texts that are the same when normalised
    script TEXT NOT NULL,
    title TEXT NOT NULL,
    summary TEXT NOT NULL,
    compressed TEXT NOT NULL,
    tags TEXT NOT NULL,
    topics TEXT NOT NULL,
    participants TEXT NOT NULL,
    key_facts TEXT NOT NULL,
    external_ids TEXT NOT NULL,
    content TEXT NOT NULL,
    source_text TEXT NOT NULL,
    extra TEXT NOT NULL
) STRICT
"""

# What decays and grows with use: its own narrow table, so that a decay run does not rewrite the texts.
VITALITY = """
CREATE TABLE vitality (
    memory_id INTEGER PRIMARY KEY REFERENCES memories(id) ON DELETE CASCADE,
    strength REAL NOT NULL,
    last_accessed_at TEXT,
    access_count REAL NOT NULL,             -- fades
    recall_count INTEGER NOT NULL           -- does not
) STRICT
"""

MEMORY_TAGS = """
CREATE TABLE memory_tags (
    memory_id INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    tag TEXT NOT NULL,                      -- as compared: selection.tag_key
    label TEXT NOT NULL,                    -- as written
    PRIMARY KEY (memory_id, tag)
) STRICT, WITHOUT ROWID
"""

# Slices of a memory's content, each with a vector. An edit makes new rows, so that an id means one text for ever.
PASSAGES = """
CREATE TABLE passages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    start_offset INTEGER NOT NULL,          -- in characters, half-open
    end_offset INTEGER NOT NULL
) STRICT
"""

# Which embedder made a vector (model, revision); vectors of different identities are never compared.
IDENTITIES = """
CREATE TABLE identities (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    identity TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    UNIQUE (identity, dimension)
) STRICT
"""

# The unique index has the passage first: it serves the cascade, look-ups, and (being narrow) counting.
VECTORS = """
CREATE TABLE vectors (
    identity_id INTEGER NOT NULL REFERENCES identities(id),
    passage_id INTEGER NOT NULL REFERENCES passages(id) ON DELETE CASCADE,
    vector BLOB NOT NULL,                   -- float16, little-endian, dimension values
    UNIQUE (passage_id, identity_id)
) STRICT
"""

# No foreign key: an entry may be about a memory that is gone. A trigger drops what an erase makes pointless.
JOURNAL = """
CREATE TABLE journal (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    op TEXT NOT NULL,
    memory_id INTEGER NOT NULL,
    stage TEXT NOT NULL,                    -- committed, done, failed
    attempts INTEGER NOT NULL DEFAULT 0,
    error TEXT,                             -- a code, never memory text
    opened_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT
"""

JOURNAL_ERASE = """
CREATE TRIGGER journal_erase AFTER DELETE ON memories BEGIN
    DELETE FROM journal WHERE memory_id = old.id;
END
"""

# No foreign key: who erased what and when stays, without a word of it.
HISTORY = """
CREATE TABLE history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    action TEXT NOT NULL,
    memory_id INTEGER NOT NULL,
    before TEXT,                            -- JSON of the changed fields; NULL: did not exist, or erased
    after TEXT,
    undoes INTEGER,                         -- the entry that this one took back
    undone INTEGER NOT NULL DEFAULT 0
) STRICT
"""

# State that belongs with the data (store uid, active identity), not the user's parameters.
SETTINGS = """
CREATE TABLE settings (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID
"""

# Contentless over prepared terms: any SQLite can read the file. Full detail and sizes: less of either breaks ranking.
LEXICAL = f"""
CREATE VIRTUAL TABLE lexical USING fts5(
    terms, content = '', contentless_delete = 1, tokenize = "{FTS_TOKENIZE}"
)
"""

INDEXES = (
    "CREATE INDEX memories_content_key ON memories (content_key)",
    "CREATE INDEX memories_place ON memories (conversation_id, session_id, position)",
    "CREATE INDEX memories_status ON memories (status)",
    # Carries what a plain list filters by, so that listing and counting need not touch the wide rows. (SQLite takes
    # no index as covering where a generated column is read, so occurred_at is a plain one with a check.)
    "CREATE INDEX memories_occurred ON memories (occurred_at, id, status, conversation_id, persona_id, layer)",
    "CREATE INDEX memories_created ON memories (created_at)",
    "CREATE INDEX memory_tags_tag ON memory_tags (tag)",
    "CREATE INDEX passages_memory ON passages (memory_id)",
    "CREATE INDEX journal_memory ON journal (memory_id)",
    "CREATE INDEX journal_open ON journal (stage) WHERE stage <> 'done'",
    "CREATE INDEX history_memory ON history (memory_id)",
)

VERSION_1 = (
    MEMORIES, VITALITY, MEMORY_TAGS, PASSAGES, IDENTITIES, VECTORS, JOURNAL, JOURNAL_ERASE, HISTORY, SETTINGS, LEXICAL,
    *INDEXES,
)  # fmt: skip
