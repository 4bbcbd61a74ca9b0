"""Blocks that no trace hears; in `quiet`, no tape of TensorFlow hears them either."""

import threading

from tensorflow.python import pywrap_tfe


class Silence(threading.local):
    """The number of open blocks in this thread."""

    depth = 0


silence = Silence()


class unheard:
    """A block that traces do not hear."""

    def __enter__(self):
        silence.depth += 1

    def __exit__(self, *error):
        silence.depth -= 1


class quiet(unheard):
    """A block that neither traces nor tapes hear."""

    def __enter__(self):
        super().__enter__()
        self.stopped = pywrap_tfe.TFE_Py_TapeSetIsStopped()
        if not self.stopped:
            pywrap_tfe.TFE_Py_TapeSetStopOnThread()

    def __exit__(self, *error):
        super().__exit__()
        if not self.stopped:
            pywrap_tfe.TFE_Py_TapeSetRestartOnThread()
