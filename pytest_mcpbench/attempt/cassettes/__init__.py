"""Cassettes: replies of models, verdicts of judges and results of servers, recorded once and replayed without them."""
