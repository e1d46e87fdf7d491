"""Tests of mutation testing of suites."""
