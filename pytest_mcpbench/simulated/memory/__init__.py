"""A knowledge graph that remembers people, things and how they belong together."""
