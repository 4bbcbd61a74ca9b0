"""A code that a learner may hand in: what is solved, and which known mistakes came first. It contains no name.

For each exercise it holds one digit of a mixed-radix number: solved or not, times the known mistakes of its card.
"""

import base64
import zlib

from minigrad.classroom import course

from . import card, diary

CHECK = 3  # bytes of the checksum
GROUP = 8  # characters between hyphens


def exercises():
    """Each exercise with its card."""
    numbers = [path.name[:2] for path in course.lessons()]
    return {name: one for number in numbers for name, one in card.cards_of(number).items()}


def code():
    """The code for the notes in this folder."""
    number, solved, mistakes = 0, diary.all_kept("solved"), diary.all_kept("mistakes")
    for name, one in exercises().items():
        first = mistakes.get(name, "")
        mistake = int(first) if first.isdecimal() and int(first) <= len(one.replies) else 0
        number = number * base(one) + 2 * mistake + (name in solved)
    content = number.to_bytes(length(), "big")
    letters = letters_of(checksum(content) + content)
    return "-".join(letters[k : k + GROUP] for k in range(0, len(letters), GROUP))


def read(text):
    """The content of a code: exercise -> whether it is solved, and the number of the first known mistake; 0 for none.

    Raises:
        ValueError: it is not a code, contains a typing error, or comes from another version of the course.
    """
    letters = text.replace("-", "").upper()
    try:
        content = base64.b32decode(letters + "=" * (-len(letters) % 8))
    except ValueError:
        raise ValueError("it has letters that no code has, or too few of them") from None
    content = content[CHECK:]
    if len(content) != length() or letters_of(checksum(content) + content) != letters:
        raise ValueError("it was mistyped, or comes from another version of the course")
    number, found = int.from_bytes(content, "big"), {}
    for name, one in reversed(exercises().items()):
        number, digit = divmod(number, base(one))
        found[name] = bool(digit % 2), digit // 2
    return dict(reversed(found.items()))


def letters_of(content):
    return base64.b32encode(content).decode().rstrip("=")


def base(one):
    return 2 * (len(one.replies) + 1)


def length():
    """The number of bytes of the number."""
    most = 1
    for one in exercises().values():
        most *= base(one)
    return ((most - 1).bit_length() + 7) // 8


def checksum(content):
    """The checksum of a number and of the exercises that it is about."""
    about = repr([(name, base(one)) for name, one in exercises().items()]).encode()
    return zlib.crc32(content + about).to_bytes(4, "big")[:CHECK]
