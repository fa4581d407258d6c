"""Exercises of the chapter `positions`."""

from companion.exercises._grading import Exercise

EXERCISES: list[Exercise] = []
