"""WeCom: the robot of one group chat."""
