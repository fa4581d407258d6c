"""Exercises of the chapter `wordpiece`."""

from companion.exercises._grading import Exercise

EXERCISES: list[Exercise] = []
