"""Settings of the property tests."""

from hypothesis import HealthCheck, settings

# No deadline, since a busy machine is no failure; the number and size of the examples are limited instead.
settings.register_profile("tilesight", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tilesight")
