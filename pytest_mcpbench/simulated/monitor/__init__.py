"""A machine as a monitor sees it: processor, memory, disks, network and processes."""
