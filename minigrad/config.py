"""tf.config: what the machine offers. Here it is one CPU, and functions always run eagerly."""

import collections
import os

import numpy as np

__all__ = [
    "LogicalDevice", "PhysicalDevice", "functions_run_eagerly", "list_logical_devices", "list_physical_devices",
    "run_functions_eagerly",
]  # fmt: skip
__dir__ = __all__.copy  # what Tab offers

# When large arrays die together, glibc gives their memory back to the system and then asks for it again, page by page:
# with a million numbers that is most of the time. Freed at once and never touched, this array raises the size from
# which glibc does so, for the whole process (which may keep up to 64 MB). MINIGRAD_KEEP_HEAP=0 leaves glibc alone.
if os.environ.get("MINIGRAD_KEEP_HEAP") != "0":
    np.empty(2**25 - 2**13, np.uint8)

PhysicalDevice = collections.namedtuple("PhysicalDevice", "name device_type")
LogicalDevice = collections.namedtuple("LogicalDevice", "name device_type")


def list_physical_devices(device_type=None) -> list:
    """The devices of a type: one CPU, and no GPU.

    >>> import minigrad as mg
    >>> mg.config.list_physical_devices("GPU")
    []
    """
    return [PhysicalDevice("/physical_device:CPU:0", "CPU")] if device_type in (None, "CPU") else []


def list_logical_devices(device_type=None) -> list:
    """The same devices, as ops name them."""
    return [LogicalDevice("/device:CPU:0", "CPU")] if device_type in (None, "CPU") else []


def run_functions_eagerly(run_eagerly) -> None:
    """Nothing to do: `mg.function` runs functions as they are."""


def functions_run_eagerly() -> bool:
    """Always True."""
    return True
