"""Exercises of the chapter `token-embeddings`."""

from companion.exercises._grading import Exercise

EXERCISES: list[Exercise] = []
