"""What is drawn folded: loops, whose turns run the same lines again and again, and layers, which are one line of many ops."""

MANY = 60  # ops from which on loops are folded
TURNS = 3  # at least
LONG = 400  # frames that are sent at most; longer stretches without a loop are folded into bars


def loops(keys, most_periods=8):
    """Where a sequence repeats itself: (first, per, turns), in order and apart from each other.

    Args:
        keys: what ran, one for each frame.
        most_periods: how many lengths of a turn are tried at each place.
    """
    following, last = [0] * len(keys), {}
    for k in range(len(keys) - 1, -1, -1):
        following[k] = last.get(keys[k], 0)
        last[keys[k]] = k
    found, k = [], 0
    while k < len(keys):
        best, other = (0, 0), following[k]
        for _ in range(most_periods):
            if not other:
                break
            turns = repeats(keys, k, other - k)
            if turns >= TURNS and turns * (other - k) > best[0] * best[1]:
                best = other - k, turns
            other = following[other]
        if best[0]:
            found.append((k, *best))
        k += best[0] * best[1] or 1
    return found


def repeats(keys, first, per):
    """How many whole turns of this length there are."""
    end = first + per
    while end < len(keys) and keys[end] == keys[end - per]:
        end += 1
    return (end - first) // per


def stretches(count, taken):
    """What to fold besides loops if too many frames are left: (first, per, turns) for each long stretch."""
    free, start = [], 0
    for first, per, turns in [*taken, (count, 0, 0)]:
        if first > start:
            free.append((start, first - start))
        start = first + per * turns
    left = sum(length for _, length in free) + sum(3 * per for _, per, _ in taken)
    if left <= LONG:
        return []
    found = []
    for first, length in free:
        per = max(8, length // 60)
        if length // per >= TURNS:
            found.append((first, per, length // per))
    return found
