"""The doors for browsers and for programs: each translates between HTTP and the acts, no more."""
