"""Mutation of tool definitions: agents work with a changed text, and their tasks show whether it matters."""
