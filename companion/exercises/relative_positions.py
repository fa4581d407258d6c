"""Exercises of the chapter `relative-positions`."""

from companion.exercises._grading import Exercise

EXERCISES: list[Exercise] = []
