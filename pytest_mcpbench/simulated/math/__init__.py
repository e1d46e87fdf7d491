"""A calculator: arithmetic, equations, derivatives and antiderivatives."""
