"""`mg` for programs that were written for minigrad, and run on TensorFlow: its names, and explain, trace and inspect of ours."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "1")  # a replay has one thread

import tensorflow as tf

import minigrad.tensorflow as mgt


class Engine:
    def __getattr__(self, name):
        return getattr(mgt if name in mgt.__all__ else tf, name)


mg = Engine()
