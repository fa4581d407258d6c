"""Exercises of the chapter `bpe`."""

from companion.exercises._grading import Exercise

EXERCISES: list[Exercise] = []
