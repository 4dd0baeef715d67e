"""The Memories page: state, model and view of the browser, each in its own file."""
