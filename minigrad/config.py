"""tf.config: the devices, here one CPU, and whether functions run eagerly."""

import collections

__all__ = ["LogicalDevice", "PhysicalDevice", "functions_run_eagerly", "list_logical_devices", "list_physical_devices",
           "run_functions_eagerly"]  # fmt: skip
__dir__ = __all__.copy  # what Tab offers


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
    """Make functions decorated by `mg.function` run as plain Python from now on, without tracing; or undo this.

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
