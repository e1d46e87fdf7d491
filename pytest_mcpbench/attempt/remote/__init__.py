"""Execution of attempts in other processes: serialization of attempts, a pool of workers, and the code they run."""
