"""Personal Gmail account of the cast's user, behind the same server as :mod:`pytest_mcpbench.simulated.mail`."""
