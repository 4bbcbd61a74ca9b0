"""`model.summary()`: a table of the layers, with their output shapes and parameter counts."""

import re
import shutil
import textwrap

from ..engine import dtypes
from ..errors import visible
from .layers.base import map_shapes

COLUMNS = {"Layer (type)": str.ljust, "Output Shape": str.ljust, "Param #": str.rjust, "Trainable": str.center}


def summary_of(model, line_length=None, positions=None, expand_nested=False, show_trainable=False, layer_range=None):
    """The text that `model.summary()` prints."""
    positions, longest = positions or [0.45, 0.80, 1.0], 88
    if show_trainable:
        positions, longest = [*[0.9 * place for place in positions], 1.0], 100
    line_length = line_length or min(longest, shutil.get_terminal_size().columns - 4)
    shapes = model._output_shapes()
    rows = [row for layer in within(model.layers, layer_range) for row in rows_of(layer, shapes, expand_nested)]
    lines = table([row[: len(positions)] for row in rows], widths_of(positions, line_length))
    return "\n".join([f'Model: "{visible(model.name)}"', *lines, *totals(model)]) + "\n"


def rows_of(layer, shapes, expand_nested, level=0):
    """The row of a layer, and on request those of the layers inside it."""
    prefix = "   " * level + "└ " if level else ""
    count = f"{layer.count_params():,}" if layer.built else "0 (unbuilt)"
    trains = "NY"[layer.trainable] if layer.weights else "-"
    rows = [[f"{prefix}{visible(layer.name)} ({type(layer).__name__})", as_text(shapes.get(id(layer))), count, trains]]
    if expand_nested and hasattr(layer, "layers"):
        inner = layer._output_shapes()
        rows += [row for one in layer.layers for row in rows_of(one, inner, True, level + 1)]
    return rows


def as_text(shape):
    """A shape, or the list of those in a nest, as printed in the table."""
    if shape is None:
        return "?"
    shapes = []
    map_shapes(lambda one: shapes.append(tuple(one)), shape)
    return str(shapes if len(shapes) > 1 else shapes[0])


def within(layers, names):
    """The layers from one to another, given by patterns that match the beginnings of their names.

    Raises:
        ValueError: they are not two strings, or no layer has such a name.
    """
    if names is None:
        return layers
    if len(names) != 2:
        problem = "layer_range must be a list or tuple of length 2. Received:"
        raise ValueError(f"{problem} layer_range = {names} of length {len(names)}")
    if not all(isinstance(name, str) for name in names):
        raise ValueError(f"layer_range should contain string type only. Received: {names}")
    first, last = [[i for i, layer in enumerate(layers) if re.match(name, layer.name)] for name in names]
    if not first or not last:
        raise ValueError(f"Passed layer_names do not match the layer names in the model. Received: {names}")
    if min(first) > max(last):
        return layers[min(last) : max(first) + 1]
    return layers[min(first) : max(last) + 1]


def widths_of(positions, line_length):
    """The widths of the columns: as the positions say, and then reduced evenly until the table has the right length.

    Raises:
        ValueError: a column is too narrow.
    """
    ends = [int(place * line_length) for place in positions]
    widths = [end - start for start, end in zip([0, *ends], ends)]
    if min(widths) < 4:
        raise ValueError("Insufficient console width to print summary.")
    excess = sum(widths) - (line_length - len(widths) - 1)
    for i, left in enumerate(range(len(widths), 0, -1)):
        share = min(widths[i], round(excess / left))
        widths[i] -= share
        excess -= share
    return widths


def table(rows, widths):
    """The lines of the table, with a frame around each cell."""

    def rule(left, line, cross, right):
        return left + cross.join(line * width for width in widths) + right

    def lines(cells, bar):
        folded = [wrapped(cell, width - 2) for cell, width in zip(cells, widths)]
        for i in range(max(map(len, folded))):
            parts = [part[i] if i < len(part) else "" for part in folded]
            aligned = [align(part, width - 2) for align, part, width in zip(COLUMNS.values(), parts, widths)]
            yield bar + bar.join(f" {part} " for part in aligned) + bar

    told = [rule("┏", "━", "┳", "┓"), *lines(COLUMNS, "┃"), rule("┡", "━", "╇", "┩")]
    for i, row in enumerate(rows):
        told += [rule("├", "─", "┼", "┤")] * bool(i) + [*lines(row, "│")]
    return [*told, rule("└", "─", "┴", "┘")]


def wrapped(text, width):
    """The lines of a cell; words that are too long are cut."""
    lines = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
    return [line if len(line) <= width else f"{line[: width - 1]}…" for line in lines or [""]]


def totals(model):
    """The lines below the table: the parameter counts and the memory they take."""
    optimizer = getattr(model, "optimizer", None)
    parts = {"Trainable": model.trainable_weights, "Non-trainable": model.non_trainable_weights}
    if optimizer is not None and optimizer.built:
        parts["Optimizer"] = optimizer.variables
    parts = {"Total": [one for some in parts.values() for one in some], **parts}
    return [f" {name} params: {count(some):,} ({memory(some)})" for name, some in parts.items()]


def count(variables):
    return sum(one.shape.num_elements() for one in variables)


def memory(variables):
    """The memory taken by Variables, in a suitable unit."""
    size = sum(one.shape.num_elements() * dtypes.as_dtype(one.dtype).size for one in variables)
    units = ["B", "KB", "MB", "GB", "TB"]
    while size >= 1024:
        size, units = size / 1024, units[1:]
    return f"{size:.2f} {units[0]}"
