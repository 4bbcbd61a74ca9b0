"""What the command `minigrad` does: it opens the course, checks the machine, packs for a class, and runs lessons anew.

telling says what is wrong and how far a work has come; course finds the lessons; lab opens them; checkup checks the
machine; pages, wheels and pack make the offline pack, and install is its script. The engine knows none of this.
"""
