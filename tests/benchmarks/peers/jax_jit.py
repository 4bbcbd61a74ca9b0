"""JAX with its compiler. (It would compile the chains of scalars for minutes.)"""

from .jax import jax, setups_of

setups = setups_of(jax.jit, without=("W2", "W2f"))
