"""Every test begins with nobody listening, whatever the one before it has left switched on."""

import pytest

import minigrad as mg
from minigrad.listening import listening


@pytest.fixture(autouse=True)
def nobody_listens():
    mg.trace(False)
    listening.now = ()
    yield
    mg.trace(False)
    listening.now = ()
