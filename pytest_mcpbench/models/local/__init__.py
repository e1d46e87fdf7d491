"""Models of this machine: an engine of the package with weights on disk, or a server that runs already."""
