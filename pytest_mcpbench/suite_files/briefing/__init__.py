"""The text that an agent receives before its first turn: instructions, skills, personal context and hints."""
