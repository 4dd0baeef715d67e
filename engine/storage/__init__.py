"""Canonical data: one SQLite database, its lock, and one module for each family of tables.

SQL lives only here and in ``engine/index``. Import the modules themselves (``from engine.storage import memories``);
nothing is re-exported, so that ``lock`` stays usable without loading SQLite.
"""
