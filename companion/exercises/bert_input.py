"""Exercises of the chapter `bert-input`."""

from companion.exercises._grading import Exercise

EXERCISES: list[Exercise] = []
