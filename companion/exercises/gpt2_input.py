"""Exercises of the chapter `gpt2-input`."""

from companion.exercises._grading import Exercise

EXERCISES: list[Exercise] = []
