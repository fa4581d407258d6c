"""What all tests share."""

from hypothesis import settings

# A test is slow where the machine is busy; that says nothing about the code.
settings.register_profile("no_deadline", deadline=None)
settings.load_profile("no_deadline")
