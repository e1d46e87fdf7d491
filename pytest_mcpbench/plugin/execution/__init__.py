"""Execution of attempts: fixtures, look-ahead, remote execution, judges and models of the session."""
