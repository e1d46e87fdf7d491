"""Gmail server of the personal worlds: the mail server over the personal mailbox."""

from dataclasses import replace

from pytest_mcpbench.simulated.gmail.world import mailbox
from pytest_mcpbench.simulated.mail import server as mail

SIMULATION = replace(mail.SIMULATION, state=mailbox)
server = SIMULATION.server
"""Factory of a server over the world of one attempt."""
