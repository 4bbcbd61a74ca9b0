"""tf.config: what the machine offers. Here it is one CPU, and functions always run eagerly."""

import collections

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
    """Nothing to do: `mg.function` leaves functions as they are."""


def functions_run_eagerly() -> bool:
    """Always True."""
    return True
