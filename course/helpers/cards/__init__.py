"""The exercise cards: one file for each lesson, with the solutions in it."""
