"""Strings taken apart and put together: bytes, characters, code points."""

import pytest

import minigrad as mg

BROKEN = [  # bytes that are no UTF-8, what they are decoded to, and where that begins
    (b"\xed\xa0\x80x", [65533, 65533, 65533, 120], [0, 1, 2, 3]),
    (b"\xf0\x9f\x98", [65533], [0]),
    (b"\xf0\x9f\x98x", [65533, 120], [0, 3]),
    (b"\xc0\x80", [65533, 65533], [0, 1]),
    (b"\xf5\x80\x80\x80", [65533] * 4, [0, 1, 2, 3]),
    (b"\xef\xbb\xbfa", [65279, 97], [0, 3]),
    (b"\xe2\x28\xa1", [65533, 40, 65533], [0, 1, 2]),
]


@pytest.mark.parametrize(("text", "codes", "offsets"), BROKEN)
def test_what_is_no_character_is_replaced(text, codes, offsets):
    found, starts = mg.strings.unicode_decode_with_offsets(text, "UTF-8")
    assert found.numpy().tolist() == codes and starts.numpy().tolist() == offsets
    assert (found.dtype, starts.dtype) == (mg.int32, mg.int64)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("UTF-16-BE", "hé😊".encode("utf-16-be")),
        ("UTF-32-BE", "hé😊".encode("utf-32-be")),
        ("UTF-8", "hé😊"),
        ("UTF-16-LE", "hé😊".encode("utf-16-le")),
    ],
)
def test_encodings(encoding, text):
    codes = mg.strings.unicode_decode(text, encoding)
    assert codes.numpy().tolist() == [104, 233, 128522]
    if encoding != "UTF-16-LE":
        assert mg.strings.unicode_encode(codes, encoding).numpy() == mg.constant(text).numpy()
        assert len(mg.strings.unicode_split(text, encoding)) == 3


def test_what_is_done_with_what_is_no_character():
    assert mg.strings.unicode_split(b"a\xffb", "UTF-8").numpy().tolist() == [b"a", b"\xef\xbf\xbd", b"b"]
    assert mg.strings.unicode_split(b"a\xffb", "UTF-8", errors="ignore").numpy().tolist() == [b"a", b"b"]
    assert mg.strings.unicode_split_with_offsets(b"\xc3\xa9\xffb", "UTF-8", "ignore")[1].numpy().tolist() == [0, 3]
    assert mg.strings.unicode_decode("\x1f b", "UTF-8", "replace", 33, True).numpy().tolist() == [33, 32, 98]
    encoded = [mg.strings.unicode_encode([97, code, 98], "UTF-8", replacement_char=63).numpy() for code in (0xD800, 0x110000, -1, 0xFFFE)]
    assert encoded == [b"a?b", b"a?b", b"a?b", b"a\xef\xbf\xbeb"]
    assert mg.strings.unicode_encode([97, 0xD800], "UTF-8", errors="ignore").numpy() == b"a"
    assert mg.strings.unicode_transcode(b"a\nb\xff", "UTF-8", "UTF-8", "replace", 63, True).numpy() == b"a?b?"


def test_shapes_and_empty_strings():
    assert mg.strings.unicode_encode(mg.zeros([2, 0], mg.int32), "UTF-8").numpy().tolist() == [b"", b""]
    assert mg.strings.unicode_encode([[[71, 246], [97, 98]]], "UTF-8").shape == (1, 2)
    assert mg.strings.unicode_transcode([["hé"]], "UTF-8", "UTF-32-BE").numpy().tolist() == [["hé".encode("utf-32-be")]]
    assert mg.strings.bytes_split("").shape == mg.strings.unicode_split("", "UTF-8").shape == (0,)
    assert mg.strings.bytes_split("é").numpy().tolist() == [b"\xc3", b"\xa9"]


NGRAMS = []


@pytest.mark.parametrize(("call", "expected"), NGRAMS)
def test_neighbours_are_joined(call, expected):
    assert call().numpy().tolist() == expected


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: mg.strings.bytes_split(["ab"]),
            mg.errors.UnimplementedError,
            r"Write \[mg.strings.bytes_split\(text\) for text in texts\]",
        ),
        (lambda: mg.strings.split(["a b"]), mg.errors.UnimplementedError, r"Write \[mg.strings.split\(text\) for text in texts\]"),
        (lambda: mg.strings.unicode_split(["ab"], "UTF-8"), mg.errors.UnimplementedError, r"unicode_split\(text, 'UTF-8'\) for text"),
        (
            lambda: mg.strings.unicode_split_with_offsets(["ab"], "UTF-8"),
            mg.errors.UnimplementedError,
            r"Write \[mg.strings.unicode_split_with_offsets\(text, 'UTF-8'\) for text in texts\]",
        ),
        (lambda: mg.strings.unicode_decode("a", "nope"), mg.errors.InvalidArgumentError, "not create converter for input encoding: nope"),
        (
            lambda: mg.strings.unicode_decode(b"\xff", "UTF-8", "strict"),
            mg.errors.InvalidArgumentError,
            "Invalid formatting on input string",
        ),
        (lambda: mg.strings.unicode_decode("a", "UTF-8", "x"), mg.errors.InvalidArgumentError, "Value for attr 'errors' of \"x\""),
        (
            lambda: mg.strings.unicode_decode("a", "UTF-8", replacement_char=-1),
            mg.errors.InvalidArgumentError,
            "out of unicode codepoint range",
        ),
        (lambda: mg.strings.unicode_encode([0xD800], "UTF-8", "strict"), mg.errors.InvalidArgumentError, "or is a surrogate"),
        (lambda: mg.strings.unicode_encode([97], "UTF-16-LE"), mg.errors.InvalidArgumentError, "Value for attr 'output_encoding'"),
        (lambda: mg.strings.unicode_encode(97, "UTF-8"), ValueError, "rank must be at least 1"),
        (
            lambda: mg.strings.unicode_encode([97.0], "UTF-8"),
            mg.errors.InvalidArgumentError,
            "expected to be a int32 tensor but is a float",
        ),
        (lambda: mg.strings.unicode_transcode("a", "UTF-8", "LATIN1"), mg.errors.InvalidArgumentError, "Value for attr 'output_encoding'"),
    ],
)
def test_what_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_both_parts_of_a_complex_number_have_their_digits():
    x = mg.constant([1.25 - 2.0j, complex(float("inf"), -float("inf"))])
    assert mg.strings.as_string(x).numpy().tolist() == [b"(1.250000,-2.000000)", b"(inf,-inf)"]
    assert mg.strings.as_string(x, precision=0, scientific=True).numpy().tolist() == [b"(1e+00,-2e+00)", b"(inf,-inf)"]


@pytest.mark.parametrize(("pos", "length", "shapes"), [(0, [1, 2], r"\[\] vs. \[2\]"), ([0, 1], 1, r"\[2\] vs. \[\]")])
def test_where_a_substring_begins_and_its_length_have_one_shape(pos, length, shapes):
    with pytest.raises(mg.errors.InvalidArgumentError, match=f"pos and len should have the same shape, got: {shapes}"):
        mg.strings.substr(["abc", "de"], pos, length)
    assert mg.strings.substr("abc", [0, 1], [1, 2]).numpy().tolist() == [b"a", b"bc"]
