"""Every test of explain leaves Keras without the names that it has given."""

import pytest

import minigrad as mg


@pytest.fixture(autouse=True)
def _no_names_are_left_over():
    yield
    mg.keras.utils.clear_session()
