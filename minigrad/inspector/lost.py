"""Compute what the lost paths would carry: run the ops of a film again, on a tape that records all of them. Nothing is guessed:
if a complete value of an input is missing, or an op does not reproduce its result, there is no answer."""

import contextlib

from ..engine.listening import listeners_only
from ..engine.tape import GradientTape
from ..engine.tensor import Tensor
from ..explain.search import number_of
from ..graph.retold import Op, Unlike, assign_again, check, run_again, whole
from ..ops import identity
from ..tracing.log import LeftEngine, Steps
from ..tracing.values import Summary

MOST = 2000  # frames


def full_gradient(model):
    """The gradient along all paths: (node -> gradient, frame -> what it sends to the sources, by input); None if it cannot be known."""
    if len(model.film.frames) <= MOST:
        with contextlib.suppress(Exception):  # a target is unknown, or the log lacks what a VJP needs
            found = passed_back(model)
            return found if is_right(model.film, found[0], model.experiments) else None
    return None


def is_right(film, slopes, experiments) -> bool:
    """Whether replays measured these gradients or, where none did, only the very objects that had left came back."""
    proved = all(edge.by is not None and edge.sure == "proved" for edge in film.ways if edge.code in ("LEFT_ENGINE", "STATE", "REBUILT"))
    tried = [(experiments[number_of(node)], dx) for node, dx in slopes.items() if number_of(node) in experiments]
    return all(not one.unlike(dx) if one is not None and one.slopes else proved for one, dx in tried)


def passed_back(model):
    film, sources, tensors, ran, heard = model.film, {*model.asked_numbers()}, {}, {}, Steps()
    with listeners_only(), GradientTape(watch_accessed_variables=False) as tape:
        for k, frame in enumerate(film.frames):
            with contextlib.suppress(Exception):  # an unknown value may not be on the path
                for node in {*frame.inputs} - tensors.keys() - film.made.keys() - {None}:
                    with contextlib.suppress(Unlike):
                        tensors[node] = Tensor.of(whole(model.value_of(node)))
                starts = [tensors[node] for node in frame.inputs if number_of(node) in sources]
                tape.watch([one for one in starts if one.value.dtype.kind in "fc"])
                made = once_more(film, frame, tensors)
                check([one.value for one in made], frame.value)
                tensors.update(zip(frame.outputs, made))
                ran[made[0].id] = k
    with listeners_only(heard):
        slopes = tape.gradient([tensors[one.id] for one in model.targets], [*tensors.values()], model.seeds)
    sent = {k: {} for k in ran.values()}
    for step in heard.heard:
        k = ran[step.outputs[0]]
        numbers = [node in tensors and tensors[node].id for node in film.frames[k].inputs]
        slot = max(slot for slot, number in enumerate(numbers) if number == step.source and slot not in sent[k])
        sent[k][slot] = whole(step.sent)
    return {node: whole(Summary.of(dx)) for node, dx in zip(tensors, slopes) if dx is not None}, sent


def once_more(film, frame, tensors) -> list:
    """Run a frame again. Here gradients pass through `stop_gradient`, and through values that came back unchanged."""
    if frame.kind == "assign":
        return [assign_again(frame, *map(tensors.get, reversed(frame.inputs)))]
    came_back = isinstance(frame.event, LeftEngine)
    if came_back and not frame.value.is_known_to_be(frame.event.given.content):
        raise Unlike
    if came_back or frame.kernel == "StopGradient":
        return [identity(tensors[frame.inputs[0]])]
    if frame.op_made is None or frame.kernel == "CustomGradient":
        raise Unlike  # the VJPs of NumPy functions and of custom gradients are unknown
    op = Op.of(frame, film.tape, None)
    return run_again(op._replace(numbers={k: one for k, one in op.numbers.items() if frame.inputs[k] is None}), tensors)
