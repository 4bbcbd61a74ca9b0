"""What the command `minigrad` does: it opens the course, looks the machine over, packs a class's stick, and runs lessons anew.

telling says what is wrong and how far a work has come; course finds the lessons; lab opens them; checkup looks the machine over;
pages, wheels and pack make the offline pack, and install is the script that goes into it. The engine knows none of this.
"""
