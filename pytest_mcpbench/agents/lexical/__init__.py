"""Agent without a model: tools by BM25, arguments by schema and pattern (docs/explanation/lexical.md)."""
