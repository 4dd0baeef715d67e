"""Version 3: digests, the hierarchy of topics, candidates, the user model, suggestions."""

from __future__ import annotations

# Which digests there are: follows from the memory's own fields ``digest_level`` and ``digest_period``.
DIGESTS = """
CREATE TABLE digests (
    memory_id INTEGER PRIMARY KEY REFERENCES memories(id) ON DELETE CASCADE,
    level INTEGER NOT NULL,                 -- 1 daily, 2 weekly, 3 monthly, 4 yearly
    period TEXT NOT NULL                    -- 2026-02-23, 2026-W08, 2026-02, 2026
) STRICT
"""

# What a digest was made of: follows from its ``sources``. An id of what is gone stays, as it does in the memory.
DIGEST_SOURCES = """
CREATE TABLE digest_sources (
    digest_id INTEGER NOT NULL REFERENCES digests(memory_id) ON DELETE CASCADE,
    source_id INTEGER NOT NULL,
    PRIMARY KEY (digest_id, source_id)
) STRICT, WITHOUT ROWID
"""

# What the digests that are there already say of themselves.
DIGESTS_FILL = (
    "INSERT INTO digests (memory_id, level, period) "
    "SELECT id, json_extract(details, '$.digest_level'), coalesce(json_extract(details, '$.digest_period'), '') "
    "FROM memories WHERE json_extract(details, '$.digest_level') > 0"
)
DIGEST_SOURCES_FILL = (
    "INSERT OR IGNORE INTO digest_sources (digest_id, source_id) SELECT m.id, s.value FROM digests AS d "
    "CROSS JOIN memories AS m ON m.id = d.memory_id CROSS JOIN json_each(m.details, '$.sources') AS s"
)
# Small, and only what a day can be digested from: days are looked for in it without touching the wide rows.
MEMORIES_TOLD = (
    "CREATE INDEX memories_told ON memories (created_at, sensitivity) WHERE conversation_id IS NULL "
    "AND category <> 'digest' AND status <> 'pending' AND status <> 'trashed'"
)

# The hierarchy T1 to T4 that people and assistants file memories under; not the graph's topics, which are words.
TOPICS = """
CREATE TABLE topics (
    id INTEGER PRIMARY KEY AUTOINCREMENT,   -- never reused: history refers to it
    level INTEGER NOT NULL,                 -- 1..4
    parent_id INTEGER NOT NULL,             -- 0: none
    name TEXT NOT NULL,                     -- as it is shown
    merged_into INTEGER,                    -- what it means now; NULL: itself
    summary TEXT NOT NULL,                  -- the centroid summary, written by a client or a person
    summary_sensitivity TEXT NOT NULL,
    summarised_at TEXT,
    touched INTEGER NOT NULL DEFAULT 0,     -- grows when what its centroid is made of may have changed
    created_at TEXT NOT NULL
) STRICT
"""

# What a name means at a place (below a topic; 0: at the top). A topic that is renamed, moved or merged keeps the names
# it had where it had them, so that every path that led to it still does.
TOPIC_NAMES = """
CREATE TABLE topic_names (
    place_id INTEGER NOT NULL,
    canonical TEXT NOT NULL,
    topic_id INTEGER NOT NULL REFERENCES topics(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    PRIMARY KEY (place_id, canonical)
) STRICT, WITHOUT ROWID
"""

# Where a memory is filed: follows from its ``topic_path`` and the names.
MEMORY_TOPICS = """
CREATE TABLE memory_topics (
    memory_id INTEGER PRIMARY KEY REFERENCES memories(id) ON DELETE CASCADE,
    topic_id INTEGER NOT NULL REFERENCES topics(id)
) STRICT
"""

_TOUCH = "UPDATE topics SET touched = touched + 1 WHERE id"
# A topic's centroid is kept in memory; these tell when it is no longer right. A memory that is in no topic costs one
# look-up.
_OF_PASSAGE = (
    "(SELECT t.topic_id FROM passages AS p CROSS JOIN memory_topics AS t ON t.memory_id = p.memory_id "
    "WHERE p.id = new.passage_id)"
)
_OF_OLD, _OF_NEW = (
    f"(SELECT topic_id FROM memory_topics WHERE memory_id = {one})" for one in ("old.memory_id", "new.id")
)
TOPICS_TOUCHED = (
    f"CREATE TRIGGER topics_filed AFTER INSERT ON memory_topics BEGIN {_TOUCH} = new.topic_id; END",
    f"CREATE TRIGGER topics_moved AFTER UPDATE ON memory_topics BEGIN {_TOUCH} IN (old.topic_id, new.topic_id); END",
    f"CREATE TRIGGER topics_left AFTER DELETE ON memory_topics BEGIN {_TOUCH} = old.topic_id; END",
    f"CREATE TRIGGER topics_vectors AFTER INSERT ON vectors BEGIN {_TOUCH} = {_OF_PASSAGE}; END",
    f"CREATE TRIGGER topics_passages AFTER DELETE ON passages BEGIN {_TOUCH} = {_OF_OLD}; END",
    f"CREATE TRIGGER topics_members AFTER UPDATE OF status, sensitivity ON memories BEGIN {_TOUCH} = {_OF_NEW}; END",
)

# What a conversation offered to be remembered; a person or an assistant decides. Not memories: nothing finds them.
CANDIDATES = """
CREATE TABLE candidates (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    state TEXT NOT NULL,                    -- pending dropped approved dismissed
    content_key TEXT NOT NULL,              -- as in memories: what is offered twice is one
    draft TEXT NOT NULL,                    -- JSON of the draft's fields that were given
    importance REAL NOT NULL,
    sensitivity TEXT NOT NULL,
    conversation_id TEXT,
    session_id TEXT,
    persona_id TEXT,
    event_time TEXT,                        -- given, or read out of the text when it was offered
    actor_kind TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    created_at TEXT NOT NULL,
    decided_at TEXT,                        -- NULL: pending
    memory_id INTEGER REFERENCES memories(id) ON DELETE CASCADE    -- what an approved one became
) STRICT
"""

# What is known of the user; its weight is ``base`` and one for each piece of evidence (S1).
TRAITS = """
CREATE TABLE traits (
    id INTEGER PRIMARY KEY AUTOINCREMENT,   -- never reused: history refers to it
    trait TEXT NOT NULL,
    sensitivity TEXT NOT NULL,
    base REAL NOT NULL,                     -- weight whose evidence is not known
    created_at TEXT NOT NULL
) STRICT
"""

# Every form that means a trait: its own, those it had, and those of traits merged into it.
TRAIT_NAMES = """
CREATE TABLE trait_names (
    canonical TEXT PRIMARY KEY,
    trait_id INTEGER NOT NULL REFERENCES traits(id)
) STRICT, WITHOUT ROWID
"""

TRAIT_EVIDENCE = """
CREATE TABLE trait_evidence (
    id INTEGER PRIMARY KEY AUTOINCREMENT,   -- never reused: history refers to it
    trait_id INTEGER NOT NULL REFERENCES traits(id),
    text_key TEXT NOT NULL,                 -- equal for evidence that is the same
    evidence TEXT NOT NULL,
    memory_id INTEGER REFERENCES memories(id) ON DELETE CASCADE,
    at TEXT NOT NULL,
    UNIQUE (trait_id, text_key)
) STRICT
"""

# What Hupo noticed and a person may act on (memories that look alike, clusters to consolidate). One that was decided
# stays, so that it is not offered again.
SUGGESTIONS = """
CREATE TABLE suggestions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,                     -- cluster lookalike topic
    key TEXT NOT NULL,                      -- what makes it one suggestion, e.g. the ids in order
    state TEXT NOT NULL,                    -- open dismissed approved
    least INTEGER NOT NULL,                 -- with fewer memories than this it is about nothing
    detail TEXT NOT NULL,                   -- JSON, never memory text
    created_at TEXT NOT NULL,
    decided_at TEXT,
    UNIQUE (kind, key)
) STRICT
"""

SUGGESTION_MEMORIES = """
CREATE TABLE suggestion_memories (
    suggestion_id INTEGER NOT NULL REFERENCES suggestions(id) ON DELETE CASCADE,
    memory_id INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
    PRIMARY KEY (suggestion_id, memory_id)
) STRICT, WITHOUT ROWID
"""

# An erase takes the suggestions that are about nothing any more: of a pair, one is no pair.
SUGGESTIONS_ERASE = """
CREATE TRIGGER suggestions_erase AFTER DELETE ON suggestion_memories BEGIN
    DELETE FROM suggestions WHERE id = old.suggestion_id
        AND least > (SELECT count(*) FROM suggestion_memories WHERE suggestion_id = old.suggestion_id);
END
"""

# Which memories were looked at for clusters, so that each is looked at once.
CLUSTER_SEEN = """
CREATE TABLE cluster_seen (
    memory_id INTEGER PRIMARY KEY REFERENCES memories(id) ON DELETE CASCADE
) STRICT
"""

# Memories that were stored before their vector was there, to be judged again with it.
REJUDGE = """
CREATE TABLE rejudge (
    memory_id INTEGER PRIMARY KEY REFERENCES memories(id) ON DELETE CASCADE
) STRICT
"""

# What a breath looks at each time, read without touching the wide rows: what holds, and what moved and is open.
MEMORIES_STANDING = (
    "CREATE INDEX memories_standing ON memories (layer, status, conversation_id, persona_id, pinned, length(content), "
    "event_time, created_at, occurred_at, sensitivity, valid_to, valid_from, superseded_by) "
    "WHERE layer IN ('fact', 'state')"
)
MEMORIES_MOVING = (
    "CREATE INDEX memories_moving ON memories (emotion_intensity, status, conversation_id, persona_id, sensitivity, "
    "importance, valence) WHERE emotion_intensity > 0 AND resolved = 0"
)

# A turn together with the turn before it (``previous_id``): a second passage whose text is both. NULL: a slice of the
# memory's own. What a passage was made of must not outlive its text, so both references cascade.
PASSAGES_IN_CONTEXT = (
    "ALTER TABLE passages ADD COLUMN previous_id INTEGER REFERENCES memories(id) ON DELETE CASCADE",
    "CREATE INDEX passages_previous ON passages (previous_id) WHERE previous_id IS NOT NULL",
    "CREATE UNIQUE INDEX passages_context ON passages (memory_id) WHERE previous_id IS NOT NULL",
    # Carries what tells the two kinds apart, so that the many own ones are listed without touching the rows.
    "DROP INDEX passages_memory",
    "CREATE INDEX passages_memory ON passages (memory_id, previous_id)",
)

# Covers the usual filters: which memories are in another language than a question is asked of every question.
MEMORIES_SCRIPT = "CREATE INDEX memories_script ON memories (script, status, conversation_id, persona_id)"

VERSION_3 = (
    DIGESTS, DIGEST_SOURCES, TOPICS, TOPIC_NAMES, MEMORY_TOPICS, CANDIDATES, TRAITS, TRAIT_NAMES, TRAIT_EVIDENCE,
    SUGGESTIONS,
    SUGGESTION_MEMORIES, SUGGESTIONS_ERASE, CLUSTER_SEEN, REJUDGE,
    "CREATE UNIQUE INDEX digests_period ON digests (level, period, memory_id)",
    "CREATE INDEX memories_sensitive ON memories (conversation_id, status) WHERE sensitivity = 'high'",
    "CREATE INDEX digest_sources_source ON digest_sources (source_id)",
    MEMORIES_TOLD,
    DIGESTS_FILL,
    DIGEST_SOURCES_FILL,
    "CREATE INDEX topic_names_topic ON topic_names (topic_id)",
    "CREATE INDEX topics_parent ON topics (parent_id)",
    "CREATE INDEX topics_merged ON topics (merged_into) WHERE merged_into IS NOT NULL",
    "CREATE INDEX memory_topics_topic ON memory_topics (topic_id)",
    *TOPICS_TOUCHED,
    "CREATE INDEX candidates_state ON candidates (state, importance DESC, id DESC)",
    "CREATE INDEX candidates_key ON candidates (content_key)",
    "CREATE INDEX candidates_memory ON candidates (memory_id) WHERE memory_id IS NOT NULL",
    "CREATE INDEX trait_names_trait ON trait_names (trait_id)",
    "CREATE INDEX trait_evidence_memory ON trait_evidence (memory_id) WHERE memory_id IS NOT NULL",
    "CREATE INDEX suggestions_state ON suggestions (kind, state)",
    "CREATE INDEX suggestion_memories_memory ON suggestion_memories (memory_id)",
    MEMORIES_SCRIPT,
    MEMORIES_STANDING,
    MEMORIES_MOVING,
    *PASSAGES_IN_CONTEXT,
)  # fmt: skip
