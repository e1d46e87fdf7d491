"""Tests of recording and replaying attempts."""
