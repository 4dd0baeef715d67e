"""Version 3: digests, the hierarchy of topics, candidates, the user model, suggestions."""

from __future__ import annotations

# Which memories a digest was made of: follows from the memory's own fields ``digest_level`` and ``sources``.
DIGESTS = """
CREATE TABLE digests (
    memory_id INTEGER PRIMARY KEY REFERENCES memories(id) ON DELETE CASCADE,
    level INTEGER NOT NULL,                 -- 1 daily, 2 weekly, 3 monthly, 4 yearly
    period TEXT NOT NULL                    -- 2026-02-23, 2026-W08, 2026-02, 2026
) STRICT
"""

DIGEST_SOURCES = """
CREATE TABLE digest_sources (
    digest_id INTEGER NOT NULL REFERENCES digests(memory_id) ON DELETE CASCADE,
    source_id INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    PRIMARY KEY (digest_id, source_id)
) STRICT, WITHOUT ROWID
"""

# The hierarchy T1 to T4 that people and assistants file memories under; not the graph's topics, which are words.
TOPICS = """
CREATE TABLE topics (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    level INTEGER NOT NULL,                 -- 1..4
    parent_id INTEGER NOT NULL,             -- 0: none
    name TEXT NOT NULL,
    canonical TEXT NOT NULL,
    summary TEXT NOT NULL,                  -- the centroid summary, written by a client
    summarised_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (parent_id, canonical)
) STRICT
"""

TOPIC_ALIASES = """
CREATE TABLE topic_aliases (
    topic_id INTEGER NOT NULL REFERENCES topics(id) ON DELETE CASCADE,
    canonical TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (topic_id, canonical)
) STRICT, WITHOUT ROWID
"""

# Where a memory is filed: follows from its ``topic_path``.
MEMORY_TOPICS = """
CREATE TABLE memory_topics (
    memory_id INTEGER PRIMARY KEY REFERENCES memories(id) ON DELETE CASCADE,
    topic_id INTEGER NOT NULL REFERENCES topics(id)
) STRICT
"""

# What a conversation offered to be remembered; a person or an assistant decides. Not memories: nothing finds them.
CANDIDATES = """
CREATE TABLE candidates (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    state TEXT NOT NULL,                    -- pending dropped approved dismissed
    draft TEXT NOT NULL,                    -- JSON of the draft's fields that were given
    importance REAL NOT NULL,
    sensitivity TEXT NOT NULL,
    session_id TEXT,
    actor_kind TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    created_at TEXT NOT NULL,
    decided_at TEXT,
    memory_id INTEGER                       -- what an approved one became
) STRICT
"""

TRAITS = """
CREATE TABLE traits (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    canonical TEXT NOT NULL UNIQUE,
    trait TEXT NOT NULL,
    weight REAL NOT NULL,                   -- one for each piece of evidence (S1)
    sensitivity TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT
"""

TRAIT_EVIDENCE = """
CREATE TABLE trait_evidence (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    trait_id INTEGER NOT NULL REFERENCES traits(id) ON DELETE CASCADE,
    evidence TEXT NOT NULL,
    memory_id INTEGER REFERENCES memories(id) ON DELETE SET NULL,
    at TEXT NOT NULL
) STRICT
"""

# What Hupo noticed and a person may act on (memories that look alike, clusters to consolidate). A dismissed one
# stays, so that it is not offered again.
SUGGESTIONS = """
CREATE TABLE suggestions (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,                      -- what makes it one suggestion, e.g. the ids in order
    detail TEXT NOT NULL,                   -- JSON, never memory text
    created_at TEXT NOT NULL,
    dismissed_at TEXT,
    PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID
"""

VERSION_3 = (
    DIGESTS, DIGEST_SOURCES, TOPICS, TOPIC_ALIASES, MEMORY_TOPICS, CANDIDATES, TRAITS, TRAIT_EVIDENCE, SUGGESTIONS,
    "CREATE UNIQUE INDEX digests_period ON digests (level, period, memory_id)",
    "CREATE INDEX digest_sources_source ON digest_sources (source_id)",
    "CREATE INDEX topic_aliases_canonical ON topic_aliases (canonical)",
    "CREATE INDEX topics_canonical ON topics (canonical)",
    "CREATE INDEX memory_topics_topic ON memory_topics (topic_id)",
    "CREATE INDEX candidates_state ON candidates (state, created_at)",
    "CREATE INDEX trait_evidence_trait ON trait_evidence (trait_id)",
)  # fmt: skip
