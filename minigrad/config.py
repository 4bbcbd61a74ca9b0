"""tf.config: the devices, here one CPU, and whether functions run eagerly, here always."""

import collections
import os

import numpy as np

__all__ = ["LogicalDevice", "PhysicalDevice", "functions_run_eagerly", "list_logical_devices", "list_physical_devices",
           "run_functions_eagerly"]  # fmt: skip

# glibc returns the memory of large freed arrays to the system and then requests it again, page by page; for a million
# numbers that takes most of the time. Freeing this array, whose pages are never touched, makes glibc raise the size
# from which it does so; the process may then keep up to 64 MB for its next arrays. MINIGRAD_KEEP_HEAP=0 turns this off.
if os.environ.get("MINIGRAD_KEEP_HEAP") != "0":
    np.empty(2**25 - 2**13, np.uint8)


class PhysicalDevice(collections.namedtuple("PhysicalDevice", "name device_type")):
    """A device of the machine.

    >>> import minigrad as mg
    >>> mg.config.list_physical_devices()[0].name
    '/physical_device:CPU:0'
    """


class LogicalDevice(collections.namedtuple("LogicalDevice", "name device_type")):
    """A device as ops name it.

    >>> import minigrad as mg
    >>> mg.config.list_logical_devices()[0].device_type
    'CPU'
    """


def list_physical_devices(device_type=None) -> list:
    """The devices of a type, "CPU" or "GPU": one CPU and no GPU. None is any type.

    >>> import minigrad as mg
    >>> mg.config.list_physical_devices("GPU")
    []
    """
    return [PhysicalDevice("/physical_device:CPU:0", "CPU")] if device_type in (None, "CPU") else []


def list_logical_devices(device_type=None) -> list:
    """The same devices, with the names that ops use.

    >>> import minigrad as mg
    >>> mg.config.list_logical_devices()
    [LogicalDevice(name='/device:CPU:0', device_type='CPU')]
    """
    return [LogicalDevice("/device:CPU:0", "CPU")] if device_type in (None, "CPU") else []


eagerly = [False]


def run_functions_eagerly(run_eagerly) -> None:
    """Let functions that `mg.function` decorates run as Python from now on, and none be traced; or take that back.

    >>> import minigrad as mg
    >>> mg.config.run_functions_eagerly(False)
    """
    eagerly[:] = [bool(run_eagerly)]


def functions_run_eagerly() -> bool:
    """Whether decorated functions run as Python.

    >>> import minigrad as mg
    >>> mg.config.functions_run_eagerly()
    False
    """
    return eagerly[0]
