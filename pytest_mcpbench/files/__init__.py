"""Files on disk: atomic and line by line, archives, downloads, the project's configuration."""
