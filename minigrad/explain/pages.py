"""The pages of the codes: what each means, the smallest program that has it, and what `explain` says of it.

A page has a line with the meaning, and a program: lines with a minus are in the broken one alone, lines with a plus in
the fixed one. Then come pairs of a sentence and a fix, with the name of the case before the sentence.
"""

PAGES = """\
LEFT_ENGINE
A value left for Python or NumPy and came back as a plain number: the tape sees the number, not where it came from.
  x = tf.Variable(3.0)
  with tf.GradientTape() as tape:
-     y = x * x.numpy()
- tape.gradient(y, x)           # 3.0, half of the truth
+     y = x * x
+ tape.gradient(y, x)           # 6.0
= {value} is a plain {kind}; {receiver} was given {number}, not {name}
> keep {name} a tensor{how}
unseen= what {receiver} was given changes with {name}, and came from outside the engine
> keep {name} a tensor on its whole way there
numpy= {op} works in NumPy, where no tape follows {name}
> write it with mg's own functions, or give it a gradient by mg.custom_gradient

STATE
A value was written into a Variable (or a dataset, or a queue) and read again: state has a value, and no history.
  x = tf.Variable(3.0)
  total = tf.Variable(0.0)
  with tf.GradientTape() as tape:
-     total.assign_add(x)
-     y = total * total
- tape.gradient(y, x)           # None
+     new_total = total + x
+     y = new_total * new_total
+ tape.gradient(y, x)           # 6.0
= {by} wrote {value} into a Variable, which keeps the value and not where it came from
> compute with a new tensor instead{how}
stored= {name} went through a {op}: what comes out has the value, and not where it came from
> compute with {name} itself

OUTSIDE_TAPE
An op on the way ran before the tape's block, after it, or where no tape hears it. A tape records its own block.
  x = tf.Variable([1.0, 2.0])
  with tf.GradientTape() as tape:
      y = x * x
- loss = tf.reduce_sum(y)
- tape.gradient(loss, x)        # None
+     loss = tf.reduce_sum(y)
+ tape.gradient(loss, x)        # [2. 4.]
= {op} ran after the tape's block had ended, so the tape has not recorded it
> indent {what} into the `with` block{instead}
after= the target was computed after the tape's block had ended, so the tape has not recorded it
> indent that line into the `with` block
before= {op} ran before the tape's block began, so the tape has not recorded it
> move {what} into the `with` block
silent= {op} ran where no tape hears it, as in a function given to a Dataset or to mg.Variable
> call {op} in the `with` block itself, on tensors
never= this tape was never entered, so it has recorded nothing
> compute inside `with mg.GradientTape() as tape:`
apart= the target was not computed, on this tape, from anything that it watches
> compute it inside the block, with mg's own functions
unknown= the log does not know how the target was made: before the trace began, in another thread, or out of thin air
> switch the trace on before the forward pass, and compute the target inside the block
cut= the log was full, and has forgotten how the target was made
> keep more events: mg.trace(limit={limit}), or more
left_out= the film leaves out how the target was made
> ask tape.explain, which reads all of the log

NO_DERIVATIVE
An op on the way is flat with jumps (argmax, round, a comparison): no derivative of it is of use.
  x = tf.Variable([1.0, 3.0])
  with tf.GradientTape() as tape:
-     y = tf.round(x * 0.4)
- tape.gradient(y, x)           # None
+     y = x * 0.4
+ tape.gradient(y, x)           # [0.4 0.4]
= {op} is flat with jumps: its derivative is 0 or does not exist
> use {instead}

UNUSED
The target does not depend on the source: it was not read, or only for something else. The true derivative is 0.
  x = tf.Variable(2.0)
  w = tf.Variable(5.0)
  with tf.GradientTape() as tape:
-     y = x * x
- tape.gradient(y, w)           # None
+     y = w * x * x
+ tape.gradient(y, w)           # 4.0
= {name} was {used} the target
> {then}
left= nothing was seen to lead from {name} to the target; but it left through {op} here, and may have come back unseen
> leave this source out, or, if the target needs it, keep {name} a tensor here
aside= {name} is used here, and nothing that leads to the target uses the result
> use the result, or leave this source out

UNWATCHED
The source is no trainable Variable, and the tape was not told to watch it, or only after its first use.
  side = tf.constant(2.5)
  with tf.GradientTape() as tape:
+     tape.watch(side)
      area = side**2
- tape.gradient(area, side)     # None
+ tape.gradient(area, side)     # 5.0
= {name} is a Tensor that this tape was not told to watch
> add tape.watch({name}){where}
later= {name} was first used here, and watched later
> move tape.watch({name}) above {what}
frozen= {name} is not trainable, and tapes do not watch such Variables by themselves
> call tape.watch({name}) inside the block, before its first use
unasked= this tape does not watch Variables by itself
> call tape.watch({name}) inside the block, before its first use

INTEGER
Derivatives flow along float and complex numbers alone. A Python int makes an int32 Tensor.
- x = tf.Variable(10)
+ x = tf.Variable(10.0)
  with tf.GradientTape() as tape:
      y = x * x
- tape.gradient(y, x)           # None
+ tape.gradient(y, x)           # 20.0
= {name} is {kind}, and no gradient flows along {such}
> {floats}
truths= multiply met truth values, made integers of {name} too, and no gradient flows along integers
> make floats of the truth values first: mg.cast(..., {name}.dtype)
cast= {op} made integers of {name} here, and no gradient flows along integers
> stay with floats: leave out this cast

REBOUND
The name of the source points to a new Tensor, computed from the Variable that it once was.
  x = tf.Variable(2.0)
- x = x + 1.0
+ x.assign_add(1.0)
  with tf.GradientTape() as tape:
      y = x * x
- tape.gradient(y, x)           # None
+ tape.gradient(y, x)           # 6.0
= this {name} is the result of {op} on this line, not the Variable itself
> change the Variable in place, as in {name}.{assign}(...), or ask for the Variable itself
younger= {name} is a new Tensor, made after the target
> ask for what the target was computed from
other= this {name} is the result of {op} on this line, and the target was not computed from it
> ask for {origin} itself
copy= this {name} is made here, and it is not the {name} that the target was computed from
> make {name} once, before the tape, and keep it

REBUILT
A new Variable was made from a Tensor. It starts with the value, and without the history.
  x = tf.Variable(3.0)
  with tf.GradientTape() as tape:
-     v = tf.Variable(x * x)
+     v = x * x
      y = v * 2.0
- tape.gradient(y, x)           # None
+ tape.gradient(y, x)           # 12.0
= a new Variable was made from {name}: it has the value, and not where it came from
> use {name} itself, without mg.Variable(...)

OTHER_TAPE
The op was recorded by another tape than the one that was asked.
  x = tf.Variable(3.0)
  with tf.GradientTape() as first:
      y = x * x
- with tf.GradientTape() as second:
-     z = x * 2.0
- second.gradient(y, x)         # None
+ first.gradient(y, x)          # 6.0
= {op} was recorded by another tape, not by the one that was asked
> ask the tape that was open on this line, or compute it inside this tape's block
read= {name} was read while another tape was open, and this one was not: here {op} works with the value alone
> open this tape first, around the other one

FIRST_ORDER_ONLY
The first derivative was computed while this tape was not recording (or it does not depend on the source any more).
  x = tf.Variable(3.0)
  with tf.GradientTape() as outer:
      with tf.GradientTape() as inner:
          y = x * x * x
- slope = inner.gradient(y, x)
- outer.gradient(slope, x)      # None
+     slope = inner.gradient(y, x)
+ outer.gradient(slope, x)      # 18.0
= the first gradient was computed while this tape was not recording
> move the inner gradient(...) into the `with` block of this tape
linear= the first derivative does not depend on {name}: the function is linear in it
> nothing: the second derivative is 0

SPENT_TAPE
The tape was asked before, and used up. A tape answers once, unless it is persistent.
  side = tf.Variable(2.5)
- with tf.GradientTape() as tape:
+ with tf.GradientTape(persistent=True) as tape:
      border, area = 4.0 * side, side**2
  tape.gradient(border, side)   # 4.0
- tape.gradient(area, side)     # RuntimeError
+ tape.gradient(area, side)     # 5.0
= the tape was asked before, and that used it up
> ask once for all: tape.gradient(y, [a, b]); or use mg.GradientTape(persistent=True)
op= {op} is not on the tape: a gradient was asked for, and that used the tape up
> ask once, after the block, or use mg.GradientTape(persistent=True)

NOT_REGISTERED
An op on the way could have a derivative, and nobody has written it: tape.gradient raises a LookupError.
  image = tf.Variable([[[0.5, 0.0, 0.0]]])
  with tf.GradientTape() as tape:
-     y = tf.image.adjust_contrast(image, 0.1)
- tape.gradient(y, image)       # LookupError
+     mean = tf.reduce_mean(image, axis=[0, 1], keepdims=True)
+     y = (image - mean) * 0.1 + mean
+ tape.gradient(y, image)       # [[[1. 1. 1.]]]
= {op} has no gradient registered: tape.gradient raises LookupError
> register one with @mg.RegisterGradient({kernel!r}), or write it with other ops
error= the backward pass ended with {error}
> fix the gradient function that was called
unknown= the tape was asked before, and its backward pass ended with an error
> register the gradient that the error names

SUMMED
The target has several elements: this is the derivative of their sum. For each alone there is the Jacobian.
  x = tf.Variable(2.0)
  with tf.GradientTape() as tape:
      y = x * [3.0, 4.0]
- tape.gradient(y, x)           # 7.0
+ tape.jacobian(y, x)           # [3. 4.]
= {target} has {elements} elements: this is the derivative of their sum
> tape.jacobian({target}, {name}) keeps them apart
targets= {targets} targets were given: this is the derivative of their sum
> tape.gradient of each alone keeps them apart

NOT_FINITE
Somewhere a derivative became inf or nan: often 0 times infinity, in a branch that where() does not take.
  x = tf.Variable(0.0)
  with tf.GradientTape() as tape:
-     y = tf.where(x > 0.0, tf.math.log(x), 0.0)
- tape.gradient(y, x)           # nan
+     safe = tf.where(x > 0.0, x, 1.0)
+     y = tf.where(x > 0.0, tf.math.log(safe), 0.0)
+ tape.gradient(y, x)           # 0.0
= {op} is where the gradient stops being finite: its slope there is inf or nan
> {away}
unknown= what arrives at the target, or the value of an op, is not finite already
> look at the values of the forward pass
value= the value of {op} is {value} already, before any slope is taken
> {away}
held= {holder} holds {value} already, before any slope is taken: what is computed from it cannot be finite
> take it out before it is used, for example with mg.where(mg.math.is_finite({x}), {x}, 0.0)
assigned= {holder} holds {value} already, before any slope is taken: what is computed from it cannot be finite
> look at what {holder} was assigned here: a step before this one went wrong
discarded= where discards this branch, yet {yet}
> {guarded}

STALE
The Variable was assigned after the tape read it: this is the derivative at the old value.
  x = tf.Variable(3.0)
+ x.assign(5.0)
  with tf.GradientTape() as tape:
      y = x * x
- x.assign(5.0)
- tape.gradient(y, x)           # 6.0, the slope at 3
+ tape.gradient(y, x)           # 10.0
= {name} was assigned after this tape read it
> compute {target} on a new tape after each assignment

STOPPED
The way was cut on purpose: by stop_gradient, stop_recording or reset.
  x = tf.Variable(3.0)
  with tf.GradientTape() as tape:
-     y = tf.stop_gradient(x * x)
- tape.gradient(y, x)           # None
+     y = x * x
+ tape.gradient(y, x)           # 6.0
= {op} ran inside stop_recording()
> move {what} out of stop_recording(), if the gradient is wanted
stop_gradient= stop_gradient cuts the way here, on purpose
> leave out mg.stop_gradient, if the gradient is wanted
reset= tape.reset() made the tape forget that {op} ran
> move {what} below tape.reset(), or leave the reset out
custom= the gradient function of {by} returned None
> return a gradient for this argument too, if it is wanted
captured= {by} uses {name} without being given it, and no gradient leaves it for {name}
> give {name} to {by}

NOT_A_TENSOR
The target or the source is no Tensor: a Python number, an array, or None.
  x = tf.Variable(3.0)
  with tf.GradientTape() as tape:
-     y = float(x * x)
- tape.gradient(y, x)           # AttributeError
+     y = x * x
+ tape.gradient(y, x)           # 6.0
= the target is {what}, not a Tensor: there is nothing to differentiate
> keep to mg's own functions, so that it stays a Tensor
source= the source is {what}, not a Tensor: there is nothing to differentiate
> give a Variable, or a Tensor that the tape watches

ONLY_DECIDES
The source is used for a decision alone: which branch runs. The value does not depend on it smoothly.
  x = tf.Variable(1.0)
  w = tf.Variable(2.0)
  with tf.GradientTape() as tape:
-     y = w * 3.0 if x > 0.0 else w * 5.0
- tape.gradient(y, x)           # None
+     gate = tf.sigmoid(10.0 * x)
+     y = gate * (w * 3.0) + (1.0 - gate) * (w * 5.0)
+ tape.gradient(y, x)           # -0.00181589
= {name} only decides {decided}; the value does not depend on it smoothly
> nothing, if that is meant; else a smooth gate, such as mg.sigmoid(k * x)

FLAT
The way is whole, and an op on it has slope 0 here: a relu that is off, a saturated sigmoid, a clip.
  x = tf.Variable(-2.0)
  with tf.GradientTape() as tape:
-     y = tf.nn.relu(x)
- tape.gradient(y, x)           # 0.0
+     y = tf.nn.leaky_relu(x)
+ tape.gradient(y, x)           # 0.2
= the slope of {op} is 0 here, wherever a gradient reaches it
> nothing, if {op} is meant to be flat here; otherwise move its input
cancel= the ways from it to the target cancel each other
> nothing: 0 is the derivative
unknown= the slope is 0 here
> nothing: 0 is the derivative
factor= {op} takes it times {factor}
> nothing, if that is meant; otherwise look at what made the 0
variable= {op} takes it times {factor}
> nothing, if that is meant to begin at 0; otherwise let it begin elsewhere, with small random numbers
"""
