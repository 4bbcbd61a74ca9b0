import minigrad

from .taped import setups_of

setups = setups_of(minigrad)
