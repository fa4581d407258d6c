"""Exercises of the chapter `bytes`."""

from companion.exercises._grading import Exercise

EXERCISES: list[Exercise] = []
