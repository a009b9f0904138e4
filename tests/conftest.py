"""How long random tests search: a little by default, much with HYPOTHESIS_PROFILE=thorough."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

QUIET = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile(
    "default", max_examples=60, deadline=None, suppress_health_check=QUIET, print_blob=True
)
settings.register_profile(
    "thorough", max_examples=2000, deadline=None, suppress_health_check=QUIET, print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
