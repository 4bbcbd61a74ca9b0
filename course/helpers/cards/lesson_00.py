"""The exercises of lesson 00, Start here."""

import minigrad as mg

from ..card import Card, Reply, alike, contains, says

BASKETS = (([1.0, 2.0, 0.5], [2.0, 3.0, 1.0]), ([4.0, 10.0], [0.0, 2.5]), ([3.0], [7.0]), ([2.0, -0.25], [0.5, 8.0]), ([], []))


def products(prices, amounts):
    return [p * a for p, a in zip(prices, amounts)]


to_pay = Card(
    points=BASKETS,
    ask=lambda to_pay, prices, amounts: to_pay(mg.constant(prices), mg.constant(amounts)),
    right=lambda prices, amounts: sum(products(prices, amounts)),
    yes="It was tried on five baskets; one had a deposit paid back, one was empty.",
    options=("[2. 6. 0.5]", "8.5", "an error"),
    came_out="it was a list of three.",
    miss="For prices {0} and amounts {1} it gave {seen}.",
    hints=(
        "The cell above has the three products. What is left to do with them?",
        "mg.reduce_sum adds up the entries of whatever stands in its parentheses.",
        "Put prices * amounts into the parentheses, and write return in front of it all.",
    ),
    solution="""
def to_pay(prices, amounts):
    return mg.reduce_sum(prices * amounts)
""",
    replies=(
        Reply(
            """
def to_pay(prices, amounts):
    return prices * amounts
""",
            products,
            "These are the single products, each right. Add them up.",
        ),
        Reply(
            """
def to_pay(prices, amounts):
    return mg.reduce_sum(prices) * mg.reduce_sum(amounts)
""",
            lambda prices, amounts: sum(prices) * sum(amounts),
            "You added first and multiplied second. Each price belongs to its own amount: multiply first.",
        ),
        Reply(
            """
def to_pay(prices, amounts):
    return mg.reduce_sum(prices + amounts)
""",
            lambda prices, amounts: sum(prices) + sum(amounts),
            "Prices and amounts were added. Did the + stay in from the change above?",
        ),
    ),
)


word = Card(
    right=lambda: says("balloon"),
    yes="You know where help is. A hint taken early saves an evening.",
    miss="That is not the word. The third hint has it, with its quotes.",
    hints=(
        "You cannot work this one out. Run the same call again.",
        "It flies in lesson 02. Once more.",
        'The word is "balloon", with its quotes.',
    ),
    solution="""
word = "balloon"
""",
    replies=(Reply('word = "lesson 02"', lambda: contains("02"), "That is where it flies. One more hint, and you have it."),),
)


def unknown(seen):
    """Wanted: a question mark, or words that mean one."""
    return isinstance(seen, str) and seen.strip().lower().rstrip(".") in (
        "?",
        "",
        "i do not know",
        "i don't know",
        "do not know",
        "don't know",
    )


ANSWERS = {"A": 12.0, "B": [3, 2], "C": None, "D": says("error", "runtimeerror"), "E": None, "F": 3.0}
KNOWN = {"A": 12, "B": (3, 2), "C": None, "D": "error", "E": None, "F": 3.0}


def begin(letter, lesson, text):
    """Two replies to the first question that was missed: the honest answer is done, the other may be tried again."""
    rest = dict.fromkeys(list(ANSWERS)[list(ANSWERS).index(letter) :], "?")
    here = f"Begin with lesson {lesson}. {text}"
    return (
        Reply(f"answers = {KNOWN | rest}", lambda: {letter: unknown}, here, done=True),
        Reply(
            f"answers = {KNOWN | rest | {letter: 7.5}}",
            lambda: {letter: lambda seen: not alike(seen, ANSWERS[letter])},
            f"{letter} has another answer. {here}",
        ),
    )


begins = Card(
    right=lambda: ANSWERS,
    yes="All six. Begin with lesson 07 for practice on real cases, or with lesson 12 for something new.",
    hints=(
        "There is nothing to work out here: write what you know, and a question mark for the rest.",
        'Two of them are shapes or words, the others numbers or None. A question mark is written "?".',
        "The reply names a lesson, whatever you write. That lesson is the hint.",
    ),
    solution="""
answers = {"A": 12.0, "B": (3, 2), "C": None, "D": "error", "E": None, "F": 3.0}
""",
    replies=(
        *begin("A", "01", "It shows what a slope is, by hand and by tape."),
        *begin("B", "02", "You know slopes. It shows how a tape finds them, and in which shape they come."),
        *begin("C", "03", "You can read a tape. It shows what a tape follows at all."),
        *begin("D", "04", "You know what is watched. It shows what a tape keeps, and for how long."),
        *begin("E", "06", "The basics are yours. It shows what becomes of an `if` on the tape."),
        *begin("F", "08", "Only one question was left, the quiet one: a number that looks right."),
    ),
)

CARDS = {
    "00.1": to_pay,
    "00.2": word,
    "00.3": begins,
}
