"""The only package that knows pytest."""
