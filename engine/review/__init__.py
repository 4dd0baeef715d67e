"""One list of what waits for a yes or a no: each kind is a module of its own, and none acts by itself."""
