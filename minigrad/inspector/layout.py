"""A layered graph, left to right as the film: where each node stands, in units of layers and of places in a layer.

The frames come in the order in which they ran, so each edge leads from an earlier one to a later one, and one pass finds
the layers. Leaves stand just before their first use; long edges bend around what is between by way of empty places; a few
sweeps order each layer by the middle of its neighbours.
"""

import itertools

from .folds import open_turn

SWEEPS = 6


def layout(nodes, edges) -> dict:
    """Places for nodes, and ways for edges.

    Args:
        nodes: names, each after those that it has edges from.
        edges: pairs of names.

    Returns:
        {"nodes": {name: [layer, place]}, "edges": [{"from", "to", "via": [[layer, place], ...]}]}; places are centred on 0.
    """
    edges = [edge for edge in dict.fromkeys(edges) if edge[0] != edge[1]]
    layer = layers_of(nodes, edges)
    rows, chains = with_bends(nodes, edges, layer)
    place = placed(rows, chains)
    return {
        "nodes": {node: [layer[node], place[node]] for node in nodes},
        "edges": [{"from": chain[0], "to": chain[-1], "via": [[one[1], place[one]] for one in chain[1:-1]]} for chain in chains],
    }


def layers_of(nodes, edges) -> dict:
    """The longest way from a leaf; then leaves move to just before their first use."""
    into, out = {}, {}
    for start, end in edges:
        into.setdefault(end, []).append(start)
        out.setdefault(start, []).append(end)
    layer = {}
    for node in nodes:
        layer[node] = 1 + max([layer[start] for start in into.get(node, ()) if start in layer], default=-1)
    for node in nodes:
        if node not in into and node in out:
            layer[node] = max(0, min(layer[end] for end in out[node]) - 1)
    return layer


def with_bends(nodes, edges, layer):
    """The rows of each layer, with an empty place wherever an edge passes; and each edge as a chain through them."""
    rows, chains = {}, []
    for node in nodes:
        rows.setdefault(layer[node], []).append(node)
    for start, end in edges:
        bends = [(f"{start}>{end}", n) for n in range(layer[start] + 1, layer[end])] if layer[end] - layer[start] <= 40 else []
        for bend in bends:
            rows.setdefault(bend[1], []).append(bend)
        chains.append([start, *bends, end])
    return rows, chains


def placed(rows, chains) -> dict:
    """The place of each node (and bend) in its layer: ordered by neighbours, then pulled towards them."""
    near = {}
    for chain in chains:
        for start, end in itertools.pairwise(chain):
            near.setdefault(end, ([], []))[0].append(start)
            near.setdefault(start, ([], []))[1].append(end)
    place = {one: k - (len(row) - 1) / 2 for row in rows.values() for k, one in enumerate(row)}
    for sweep in range(SWEEPS):
        side = sweep % 2
        for n in sorted(rows, reverse=bool(side)):
            wish = {one: middle([place[other] for other in near.get(one, ((), ()))[side]], place[one]) for one in rows[n]}
            rows[n].sort(key=lambda one: wish[one])
            place.update(spread(rows[n], wish))
    shift = (max(place.values(), default=0) + min(place.values(), default=0)) / 2
    return {one: round(2 * (y - shift)) / 2 for one, y in place.items()}


def middle(places, otherwise):
    """The median, which keeps chains straight."""
    if not places:
        return otherwise
    places = sorted(places)
    half = len(places) // 2
    return places[half] if len(places) % 2 else (places[half - 1] + places[half]) / 2


def spread(row, wish) -> dict:
    """Places at least 1 apart, in this order, as near to the wishes as that allows."""
    blocks = []  # of nodes that stand close together: [sum of the wished starts, how many nodes]
    for k, one in enumerate(row):
        blocks.append([wish[one] - k, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] >= blocks[-1][0] / blocks[-1][1]:
            total, count = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += count
    places, k = {}, 0
    for total, count in blocks:
        for one in row[k : k + count]:
            places[one] = total / count + k
            k += 1
    return places


# ---- the graph of a film -----------------------------------------------------------------------------------------------


def graph(model, sent) -> dict:
    """Where the nodes stand: what is sent, and one stack for the turns before the open one, and one for those after it."""
    frames, present = model.film.frames, set(sent)
    stacks = stacks_of(model, present)
    nodes, edges = [], []

    def node_of(k):
        return f"f{k}" if k in present else stacks[k]

    sources = {one: [] for one in model.source_ids.values()}
    for k, frame in enumerate(frames):
        end = node_of(k)
        if not nodes or nodes[-1] != end:
            nodes.append(end)
        for node in frame.inputs:
            if node in model.film.made:
                edges.append((node_of(model.film.made[node]), end))
            elif model.node(node):
                sources[model.node(node)].append(end)
                edges.append((model.node(node), end))
    used = [one for one in sources if sources[one] or one not in {model.node(n) for n in model.film.made}]
    return layout(list(dict.fromkeys([*used, *nodes])), edges)


def stacks_of(model, present):
    """For each frame that is folded away, the stack of turns that it is in: before or after the open turn."""
    found = {}
    for k, (_, first, per, turns) in enumerate(model.loops):
        for f in range(first, first + per * turns):
            if f not in present:
                found[f] = f"g{k}{'a' if (f - first) // per < open_turn(model, k) else 'b'}"
    return found
