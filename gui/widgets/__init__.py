"""Small parts that any page may use. They know the look, never the engine's service."""
