"""The servers are waited for as long as the settings say, which this package does not import."""

from django.conf import settings

from embedded.patience import wait_of


def test_the_settings_have_said_how_patient_to_be() -> None:
    assert wait_of(3.0) == 3.0 * settings.PATIENCE > 3.0
