"""The commands of the command line, one module each with ``run(options, terminal) -> int``. Nothing is shared here."""
