"""Errors, each raised once: its class, its whole text, and what comes from the caller escaped in it."""

from pathlib import Path

import numpy as np
import pytest

import minigrad as mg

LINES = [line for line in Path(__file__).with_name("refused.txt").read_text("utf-8").splitlines() if line and line[0] != "#"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("call", "text"), list(zip(LINES[::2], LINES[1::2], strict=True)), ids=LINES[::2])
def test_the_error_says_what_is_wrong(call, text):
    with pytest.raises(Exception) as caught:  # noqa: PT011 - its class is compared too
        eval(call, {"mg": mg, "np": np})
    told = " ".join(str(caught.value).split()).replace("\033", r"\033")  # shown in bold
    assert f"{caught.type.__name__}: {told}" == text.strip()
