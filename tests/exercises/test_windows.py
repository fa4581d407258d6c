"""The exercises of the chapter `windows`: right answers in other forms than the chapter's."""

import torch
from answers import tried

from companion.windows import window_count

RIGHT = [
    ("windows.count", window_count),
    ("windows.twice", lambda inputs, targets: torch.stack([inputs[:-1], targets[1:]], dim=1)),
]

test_answers = tried(RIGHT)
