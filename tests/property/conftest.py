"""Settings of the property tests."""

from hypothesis import HealthCheck, settings

# A busy machine is no failure: examples are bounded in number and size instead of in time.
settings.register_profile("tilesight", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tilesight")
