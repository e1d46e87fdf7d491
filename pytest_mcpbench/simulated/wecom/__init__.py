"""WeCom: one group chat and its webhook robot."""
