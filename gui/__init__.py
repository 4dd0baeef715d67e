"""The windows and the tray. May import the engine's public names, never ``app``; importing this package loads no Qt."""
