"""A knowledge graph that remembers people, things and their relations."""
