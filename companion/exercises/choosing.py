"""Exercises of the chapter `choosing`."""

from companion.exercises._grading import Exercise

EXERCISES: list[Exercise] = []
