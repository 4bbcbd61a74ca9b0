"""The subcommands of `minigrad`: course (lab.py), explain (explaining.py), check (checkup.py), pack (pack.py), class
(together.py), build (building.py), book (book.py) and site (site.py).

course.py finds the lessons, and telling.py prints errors and progress. The offline pack contains the files of the
course (contents.py), HTML pages of the lessons (pages.py), wheels (wheels.py) and the script install.py. No other part
of minigrad uses this one.
"""
