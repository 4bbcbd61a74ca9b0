"""Blocks of which nobody hears: no trace, and in `quiet` no tape of TensorFlow either."""

import threading

from tensorflow.python import pywrap_tfe


class Silence(threading.local):
    """How many blocks are open in this thread."""

    depth = 0


silence = Silence()


class unheard:
    """A block in which traces hear nothing."""

    def __enter__(self):
        silence.depth += 1

    def __exit__(self, *error):
        silence.depth -= 1


class quiet(unheard):
    """A block that tapes do not hear, either."""

    def __enter__(self):
        super().__enter__()
        self.stopped = pywrap_tfe.TFE_Py_TapeSetIsStopped()
        if not self.stopped:
            pywrap_tfe.TFE_Py_TapeSetStopOnThread()

    def __exit__(self, *error):
        super().__exit__()
        if not self.stopped:
            pywrap_tfe.TFE_Py_TapeSetRestartOnThread()
