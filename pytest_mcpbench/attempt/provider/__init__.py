"""Provider process: one process of a run that sends the requests of all xdist workers to models and judges.

Rate limits, costs, verdicts and connections are shared in it.
"""
