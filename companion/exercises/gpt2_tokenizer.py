"""Exercises of the chapter `gpt2-tokenizer`."""

from companion.exercises._grading import Exercise

EXERCISES: list[Exercise] = []
