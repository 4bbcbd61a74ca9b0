"""The subcommands of `minigrad`: course (lab.py), check (checkup.py), pack (pack.py) and build (building.py).

course.py finds the lessons, and telling.py prints errors and progress. The offline pack contains the files of the
course (contents.py), HTML pages of the lessons (pages.py), wheels (wheels.py) and the script install.py. No other part
of minigrad uses this one.
"""
