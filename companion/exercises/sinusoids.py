"""Exercises of the chapter `sinusoids`."""

from companion.exercises._grading import Exercise

EXERCISES: list[Exercise] = []
