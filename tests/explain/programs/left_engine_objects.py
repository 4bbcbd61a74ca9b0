"""A number comes back as an attribute of an object. A healthy program stands beside the broken ones whose classes it shares."""

from typing import NamedTuple

import minigrad as mg

from . import healthy, program


class Remembering:
    def __init__(self):
        self.history = []

    def keep(self, t):
        self.history.append(float(t))

    def scaled(self, t):
        self.keep(t)
        return t * sum(self.history)


@program("partial", "", "LEFT_ENGINE", "self.history.append(float(t))")
def _a_number_in_a_list_of_an_object():
    """A method appends to a list of its object: the sum over that list must be traced to the append."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = Remembering().scaled(x)
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE")
def _an_attribute_that_a_method_changes():
    """An attribute set from outside and scaled by a method: the new number must be traced to what was set."""

    class Box:
        def put(self, value):
            self.kept = [value]

        def scale(self):
            self.kept[0] = self.kept[0] * 2.0

    x, box = mg.Variable(0.5), Box()
    with mg.GradientTape() as tape:
        box.kept = [float(x)]
        box.scale()
        y = x * box.kept[0]
    return tape.explain(y, x)


class Baseline:
    def __init__(self):
        self.mean = 0.0

    def follow_return(self, value):
        self.mean = 0.9 * self.mean + 0.1 * value

    def taken_from(self, value):
        return value - self.mean


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _a_number_that_an_object_keeps():
    """A running mean kept by an object: the number that another method subtracts must be traced to the update."""
    x, baseline = mg.Variable(0.5), Baseline()
    with mg.GradientTape() as tape:
        baseline.follow_return(float(x))
        y = x * baseline.taken_from(x)
    return tape.explain(y, x)


class Follower:
    def __init__(self, start=0.0):
        self.mean = start

    def update(self, value):
        self.mean = 0.9 * self.mean + 0.1 * value

    def get(self):
        return self.mean


@program("partial", "", "LEFT_ENGINE", "(tried)", "losses.update(float(x))")
def _an_attribute_of_one_of_two_objects():
    """Two objects of one class: losses.mean must be traced to losses.update, and not to the update of rates."""
    x, losses, rates = mg.Variable(0.5), Follower(), Follower(0.1)
    with mg.GradientTape() as tape:
        losses.update(float(x))
        rates.update(0.3)
        y = x * losses.mean
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)", "losses.update(float(x))")
def _a_method_of_one_of_two_objects():
    """Two objects of one class read by a method: losses.get() must be traced to the update of that same object."""
    x, losses, rates = mg.Variable(0.5), Follower(), Follower(0.1)
    with mg.GradientTape() as tape:
        losses.update(float(x))
        rates.update(0.3)
        y = x * losses.get()
    return tape.explain(y, x)


class QuietFollower(Follower):
    def scaled(self, t):
        self.update(float(t))
        return t * self.mean


@program("partial", "", "LEFT_ENGINE", "(tried)", "self.update(float(t))")
def _an_attribute_that_is_inherited():
    """An attribute that only the parent class assigns: it must be found from a method of the child."""
    x, quiet = mg.Variable(0.5), QuietFollower()
    with mg.GradientTape() as tape:
        y = quiet.scaled(x)
    return tape.explain(y, x)


class Holder:
    def __init__(self, mean):
        self.mean, self.follower, self.rate = mean, Follower(), Follower(0.1)

    def loss(self, t):
        self.follower.update(float(t))
        self.rate.update(0.5)
        return t * 2.0


@program("partial", "", "LEFT_ENGINE", "(tried)", "self.follower.update(float(t))")
def _an_attribute_of_an_attribute():
    """holder.follower.mean: the update happens in a method of the holder, and must be found from outside."""
    x, holder = mg.Variable(0.5), Holder(0.1)
    with mg.GradientTape() as tape:
        y = holder.loss(x) * holder.follower.mean
    return tape.explain(y, x)


def mean_of_followed(t, follower):
    follower.update(float(t))
    return t * follower.mean


@program("partial", "", "LEFT_ENGINE", "(tried)", "follower.update(float(t))")
def _an_attribute_of_an_object_that_was_given():
    """An object given to a function: its attribute must be traced through the parameter to the update there."""
    x, losses = mg.Variable(0.5), Follower()
    with mg.GradientTape() as tape:
        y = mean_of_followed(x, losses)
    return tape.explain(y, x)


class Settings(NamedTuple):
    scale: float
    name: str = ""


@program("partial", "", "LEFT_ENGINE", "(tried)", "Settings(3.0 * x)")
def _a_field_of_a_named_tuple():
    """A float given to a NamedTuple by its place: the field of that place must be traced to it."""
    x = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        settings = Settings(3.0 * float(x))
        y = x * settings.scale
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)", "holders = [Holder(x * k) for k in (1.0, 2.0)]")
def _an_attribute_of_an_item():
    """An attribute given to the constructor and doubled in a loop: from an item of the list it must be traced to that call."""
    x = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        holders = [Holder(float(x) * k) for k in (1.0, 2.0)]
        for holder in holders:
            holder.mean *= 2.0
        y = x * holders[1].mean
    return tape.explain(y, x)


class Diary:
    def __init__(self):
        self.kept, self.logs = [0.0, 0.1], {"loss": [], "rate": []}

    def scaled_by_its_log(self, x, rate):
        self.logs["loss"].append(3.0 * float(x))
        self.logs["rate"].append(rate)
        return x * self.logs["loss"][-1]

    def scaled_by_its_rate(self, x, rate):
        self.logs["rate"].append(rate)
        return x * 2.0 * self.logs["rate"][-1]


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _an_item_of_an_attribute():
    """A float written into a list that an object holds: diary.kept[0] must lead to the assignment from outside the class."""
    x, diary = mg.Variable(0.5), Diary()
    with mg.GradientTape() as tape:
        diary.kept[0] = 3.0 * float(x)
        y = x * diary.kept[0]
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _a_log_of_an_object():
    """An object that logs losses and rates in one dictionary: the last loss is used, and must be traced to its own append."""
    x, diary = mg.Variable(0.5), Diary()
    with mg.GradientTape() as tape:
        y = diary.scaled_by_its_log(x, 0.25)
    return tape.explain(y, x)


@healthy
def _a_rate_beside_the_log_of_an_object():
    """An object that logs losses and rates in one dictionary: using the last rate must not be blamed on the losses."""
    x, diary = mg.Variable(0.5), Diary()
    with mg.GradientTape() as tape:
        diary.logs["loss"].append(float(x))
        y = diary.scaled_by_its_rate(x, 0.25)
    return tape.explain(y, x)


class Fixed:
    def __init__(self, value):
        self.value = value

    def update(self, value):
        pass

    def get(self):
        return self.value


@healthy
def _the_attribute_of_the_other_object():
    """Two objects of one class, of which rates is used: it must not be blamed for the float given to losses."""
    x, losses, rates = mg.Variable(0.5), Follower(), Follower(0.1)
    with mg.GradientTape() as tape:
        losses.update(float(x))
        rates.update(0.3)
        y = x * rates.mean * rates.get() * Fixed(0.3).get()
    return tape.explain(y, x)


@healthy
def _the_other_attribute_of_an_object():
    """A holder with two followers: reading the rate must not be blamed on the float given to the other one."""
    x, holder = mg.Variable(0.5), Holder(0.1)
    with mg.GradientTape() as tape:
        y = holder.loss(x) * holder.rate.mean
    return tape.explain(y, x)


@healthy
def _the_other_of_some_objects_with_names():
    """Objects of one class in a dictionary: the one under rate must not be blamed for the float given to the one under loss."""
    x, followers = mg.Variable(0.5), {name: Follower(0.1) for name in ("loss", "rate")}
    with mg.GradientTape() as tape:
        followers["loss"].update(float(x))
        y = x * followers["rate"].mean
    return tape.explain(y, x)


@healthy
def _the_other_field_of_a_named_tuple():
    """A NamedTuple with a float in its second field: reading the first must not be blamed on it."""
    x = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        settings = Settings(0.3, name=3.0 * float(x))
        y = x * settings.scale
    return tape.explain(y, x)
