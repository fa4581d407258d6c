"""Exercises of the chapter `training`."""

from companion.exercises._grading import Exercise

EXERCISES: list[Exercise] = []
