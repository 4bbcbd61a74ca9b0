"""Predictions: options to click or to type, and the prediction beside the result once the next cell has run."""

import html

from IPython import get_ipython

from minigrad.errors import visible
from minigrad.inspector.html import WAITING

from . import diary
from .card import find, unknown
from .trying import Stopped, never_raises, outcome

waiting = []  # exercises that have just been predicted
due = []  # exercises whose result the running cell shows


@never_raises
def predict(exercise, answer=...):
    """Keep a prediction; only the first one counts. It is not judged."""
    if type(exercise) is not str:
        print(f'Write the number in quotes, as in predict("02.1", ...). This is {visible(exercise, 40)}.')
        return None
    card = find(exercise)
    if card is None or not card.options:
        print(unknown(exercise) if card is None else f"{exercise}: there is nothing to predict. Its check asks for an answer.")
        return None
    if answer is ... and diary.kept("predictions", exercise) is None:
        return offered(exercise, card.options)
    print(f"{exercise}: {answered(exercise, card.options, answer)}")
    return None


def answered(exercise, options, answer):
    """The reply to a typed answer."""
    first = diary.kept("predictions", exercise)
    text = first if answer is ... else outcome(words_of, answer)
    if isinstance(text, Stopped):
        return f"nothing is kept. To print this answer {text}"
    option = chosen(options, " ".join(text.split()))
    if option is None:
        return f"that is none of them. Choose {listed(options)}."
    if first not in (None, option):
        return f"kept {first}, your first answer. Now run the next cell."
    return kept(exercise, option)


def kept(exercise, option):
    """Keep an option, and return a message that says so."""
    if diary.kept("predictions", exercise) is None:
        diary.keep("predictions", exercise, option)
    if exercise not in waiting and get_ipython() is not None:
        waiting.append(exercise)
        listen(get_ipython().events)
    return f"kept {option}. Now run the next cell."


def words_of(answer):
    return str(answer.numpy() if hasattr(answer, "numpy") else answer)


def chosen(options, text):
    """The option that a text means: the same words, the only one with these words, or the same number; else None."""
    short = "".join(words(text))
    for option in options:
        if "".join(words(option)) == short or (is_number(option) and is_number(short) and float(option) == float(short)):
            return option
    having = [option for option in options if short and {*words(text)} <= {*words(option)}]
    return having[0] if len(having) == 1 else None


def words(text):
    """The words of a text, without quotes, articles and capital letters."""
    found = text.casefold().replace('"', "").replace("'", "").split()
    return [word for word in found if word not in ("a", "an", "the")]


def is_number(text):
    try:
        return float(text) == float(text)  # nan is treated as a word
    except ValueError:
        return False


def listed(options):
    return f"{', '.join(options[:-1])} or {options[-1]}"


# ---- the result beside the guess -----------------------------------------------------------------------------------


def listen(events):
    """Tell IPython to call us before and after each cell; registers only once."""
    for name, function in (("pre_run_cell", began), ("post_run_cell", ended)):
        if function not in events.callbacks[name]:
            events.register(name, function)


def began(info):
    due.extend(waiting)
    waiting.clear()


def ended(result):
    """Show the prediction beside the result, below the output of the cell."""
    if result.success:
        for exercise in due:
            print(f"{exercise}: you predicted {diary.kept('predictions', exercise)}; {find(exercise).came_out}")
        due.clear()


# ---- the options, to click -----------------------------------------------------------------------------------------


def offered(exercise, options):
    """A button for each option, or a text where no widgets are shown."""
    asked = f"{exercise}: {listed(options)}? Write your answer in place of the three dots."
    try:
        from IPython.display import display
        from ipywidgets import HTML, Button, HBox, Label, Layout
    except ImportError:
        print(asked)
        return None

    class Offer(HBox):
        def __repr__(self):
            return asked

    def choose(button):
        """Keep the choice. The buttons stay enabled: a disabled one would send the keyboard focus to the top."""
        said.value = spoken(answered(exercise, options, button.description))
        for one in buttons:
            one.button_style = "primary" if one.description == diary.kept("predictions", exercise) else ""

    if get_ipython() is not None:
        display({"text/html": without_buttons(asked)}, raw=True)
    buttons = [Button(description=option, tooltip=f"{exercise}: {option}", layout=Layout(width="auto")) for option in options]
    said = HTML(spoken("Choose one. It is kept, and never marked."))
    for button in buttons:
        button.on_click(choose)
    return Offer([Label(f"{exercise}:"), *buttons, said], layout=Layout(flex_flow="row wrap"))


def spoken(text):
    """A label that wraps on a narrow page, and that screen readers read out when it changes."""
    return f'<span role="status">{html.escape(text)}</span>'


def without_buttons(text):
    """A text shown only where the buttons are missing, as in a notebook saved without its widgets."""
    return f"""{WAITING}<style>
.jp-OutputArea-child:has(+ .jp-OutputArea-child :is(button, pre)) .mg-offer {{ display: none }}
</style><p class="mg-page mg-offer">{html.escape(text)}</p>"""
