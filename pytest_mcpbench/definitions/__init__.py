"""Tool definitions as a server lists them: canonical form, lock files, changes between versions, and lint rules."""
