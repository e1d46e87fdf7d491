"""Files: the filesystem server over the attempt's own directory."""
