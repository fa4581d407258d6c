"""What live figures show, from the names of their chapters, as these are after the labelled cell.

`kernel` asks when it runs the chapter, in the chapter's own Python.
"""

import itertools
from collections.abc import Callable
from typing import Any

Names = dict[str, Any]


def rounded(numbers: Any, digits: int = 9) -> Any:
    """Return a tensor as lists. The page rounds again: 0.00499998 must not become 0.005 here."""
    return numbers.double().round(decimals=digits).tolist()


def trained_rows() -> tuple[list[int], Any]:
    """Return ids, and what a page needs of the trained rows: an array of a row for each."""
    # After the tokens come 32 positions, the segments, gamma and beta. Each has its first 8
    # numbers, and for the normalization of sums the mean of all 384 and how long the rest is
    # without it. Its product with each segment follows; the one with a position is, as good as
    # exactly, that of three more numbers, along the mean of the positions and the two directions
    # in which they differ most.
    import numpy as np

    from companion.pretrained import row_tokens, rows
    from companion.wordpiece import bert_uncased

    tables = [np.array(rows(name)) for name in ("token", "position", "segment", "gamma", "beta")]
    n_positions = 32
    tables[1] = tables[1][:n_positions]
    tokens, positions, segments = (t - t.mean(axis=1, keepdims=True) for t in tables[:3])
    middle = positions.mean(axis=0)
    axes = np.linalg.svd(positions - middle)[2][:2]
    along = [
        tokens @ np.vstack([middle, axes]).T,
        np.hstack([np.ones((n_positions, 1)), (positions - middle) @ axes.T]),
        np.zeros((4, 3)),
    ]
    every = np.vstack(tables)
    rest = every - every.mean(axis=1, keepdims=True)
    length = np.linalg.norm(rest, axis=1, keepdims=True)
    numbers = [every[:, :8], every.mean(axis=1, keepdims=True), length, rest @ segments.T]
    vocab = bert_uncased().vocab
    ids = [vocab[token] for token in row_tokens()]
    return ids, np.hstack([*numbers, np.vstack(along)]).round(4)


SIZES = {
    "GPT-2": {"token": 50257, "position": 1024},
    "BERT": {"token": 30522, "segment": 2, "position": 512},
}


def in_front(*texts: str) -> list[tuple[str, ...]]:
    """Return the texts in each order that buttons make, with a word in front or not."""
    orders = {texts, texts[::-1]}
    words = itertools.product(("", "Now "), repeat=len(texts))
    return [tuple(map(str.__add__, w, order)) for w in words for order in sorted(orders)]


def bert_tokens(*texts: str) -> dict[str, Any]:
    """Return the tokens of texts, each with its id and its segment, by the lines of the fields."""
    from companion.wordpiece import bert_uncased

    found = {}
    for each in in_front(*texts):
        ids, segments, tokens = bert_uncased().encode_pair(*each)
        found["\n".join(each)] = [*zip(tokens, ids, segments, strict=True)]
    return found


def bert_trained(known: dict[str, Any]) -> dict[str, Any]:
    """Return the trained rows of these tokens."""
    ids, numbers = trained_rows()
    shown = {i for tokens in known.values() for _, i, _ in tokens}
    *position, first, second, gamma, beta = numbers[len(ids) :].tolist()
    token = {i: row.tolist() for i, row in zip(ids, numbers, strict=False) if i in shown}
    rows = {"token": token, "position": position[:12], "segment": [first, second]}
    note = "Trained rows of all-MiniLM-L6-v2, a small BERT: 8 of 384 numbers."
    model = new("BERT", **rows, gamma=gamma[:8], beta=beta[:8])
    return model | {"d": 384, "digits": 3, "isTrained": True, "note": note}


def new(name: str, **rows: Any) -> dict[str, Any]:
    note = f"Random rows, as in a new {name}: 8 of 768 numbers."
    kind = name.replace("-", "").lower()
    return {"kind": kind, "of": SIZES[name], "digits": 2, "note": note, "d": 768, "rows": rows}


def gpt2_tokens(text: str) -> dict[str, Any]:
    from companion.bpe import gpt2

    decode, encode = gpt2().decode, gpt2().encode
    return {each: [(decode([i]), i) for i in encode(each)] for (each,) in in_front(text)}


def index(names: Names) -> dict[str, Any]:
    """Return the sentence with rows of the page's two random tables, and with trained ones."""
    text, table = names["text"], names["token_table"]
    known = {"gpt2": gpt2_tokens(text), "bert": bert_tokens(text)}
    token = {i: table[i].tolist() for tokens in known["gpt2"].values() for _, i in tokens}
    models = {
        "GPT-2": new("GPT-2", token=token, position=names["position_table"][:12].tolist()),
        "BERT": bert_trained(known["bert"]),
    }
    for model, tokens in zip(models.values(), known.values(), strict=True):
        model["chosen"] = [each[0].strip() for each in tokens[text]].index("strawberry")
    return {"texts": [text], "front": "Now ", "n": 12, "known": known, "models": models}


def start(names: Names) -> dict[str, Any]:
    """Return the chapter's text, with its random rows for both models."""
    text = "".join(names["pieces"])
    known = {"gpt2": gpt2_tokens(text), "bert": bert_tokens(text)}

    models = {}
    for name, tables, width in (("GPT-2", names["of_gpt2"], 8), ("BERT", names["of_bert"], 10)):
        rows = {kind: tables[kind][1].items() for kind in SIZES[name]}
        firsts = {kind: {i: of_random(r)[:width] for i, r in rows[kind]} for kind in rows}
        models[name] = new(name, **firsts)
    return {"texts": [text], "front": "Now ", "n": 10, "known": known, "models": models}


def of_random(row: Any) -> list[float]:
    """Return of a row its first 8 numbers, the mean of all, and how long it is without it."""
    mean = float(row.mean())
    return [round(float(x), 4) for x in (*row[:8], mean, ((row - mean) ** 2).sum() ** 0.5)]


def bert_input(names: Names) -> dict[str, Any]:
    """Return the chapter's two texts with trained rows; new ones are made in the page."""
    texts = names["pair"]
    known = {"bert": bert_tokens(*texts)}
    models = {"trained": bert_trained(known["bert"]) | {"chosen": 2}, "new": new("BERT")}
    return {"texts": texts, "front": "Now ", "n": 12, "known": known, "models": models}


def merges_of(tokenizer: Any) -> bytes:
    """Return the three-byte ids that merges join, a plane for each byte: so they pack best."""
    import numpy as np

    ids = [[tokenizer.vocab[token] for token in pair] for pair in tokenizer.merges]
    parts = np.array(ids, "<u4").view(np.uint8).reshape(-1, 2, 4)
    return parts[:, :, :3].transpose(1, 2, 0).tobytes()


def cuts(names: Names) -> dict[str, Any]:
    """Return the page's text, where each of its tokenizers cuts it, and the lists of small ones."""
    from companion.bpe import GPT2_PATTERN, BPETokenizer
    from companion.wordpiece import WordPieceTokenizer
    from workbook.cuts import Cut
    from workbook.cuts import cuts as cut

    def state(each: Cut) -> dict[str, Any]:
        shown = {"text": each.token, "isBytes": each.is_bytes}
        return {"shown": shown, "from": each.start, "to": each.end, "isLost": each.is_lost}

    text, tokenizers = names["text"], names["tokenizers"]
    lists = dict[str, Any]()
    for name, tokenizer in tokenizers.items():
        if isinstance(tokenizer, BPETokenizer) and len(tokenizer.merges) < 1000:
            lists[name] = {
                "merges": [*merges_of(tokenizer)],
                "isWhole": tokenizer.pattern != GPT2_PATTERN,
            }
        elif isinstance(tokenizer, WordPieceTokenizer) and tokenizer.n_vocab < 1000:
            lists[name] = {"tokens": [*tokenizer.vocab]}
    rows = {name: [*map(state, cut(tokenizers[name], text))] for name in tokenizers}
    return {"text": text, "rows": rows, "lists": lists}


def token_embeddings(names: Names) -> dict[str, Any]:
    """Return the chapter's text, and the ids and trained rows of its tokens and of some others."""
    tokens = [*dict.fromkeys([*names["text"], "a", "rabbit"])]
    rows = {token: [names["bert"].vocab[token], names["row"](token)[:8]] for token in tokens}
    return {"text": names["text"], "shape": names["shape"], "rows": rows}


def windows(names: Names) -> dict[str, Any]:
    """Return how many ids the chapter's row has, and the first of its windows."""
    first = names["settings"][0]
    return {"n": len(names["row"]), "context": first.context_size, "stride": first.stride}


def positions(names: Names) -> dict[str, Any]:
    """Return what the chapter's function gives for its three tokens in each order."""
    rows, orders = names["rows"], list(itertools.permutations(range(3)))
    texts = [rows[list(order)] for order in orders]

    def mixed(x: Any) -> Any:
        return [[round(number, 9) for number in vector] for vector in names["mix"](x.tolist())]

    added = [mixed(x + names["places"]) for x in texts]
    found = {"tokens": names["tokens"], "orders": orders}
    return found | {"without": [*map(mixed, texts)], "added": added}


def sinusoids(names: Names) -> dict[str, Any]:
    """Return rows of the chapter's table, and how far each hand turns at a step."""
    rows = rounded(names["sinusoids"](72, 8))
    return {"frequencies": names["frequencies"](8).tolist(), "rows": rows}


def relative_positions(names: Names) -> dict[str, Any]:
    """Return the chapter's point up to its last key and 24 on, and one that is ten times slower."""
    at = names["at"]
    points = {d: [rounded(at(p * d / 30)) for p in range(108 + 25)] for d in (30, 3)}
    return {"pairs": [{"degrees": d, "points": points[d]} for d in points]}


def gpt2_tokenizer(names: Names) -> dict[str, Any]:
    """Return the steps of the chapter's figure, and the ranks of all neighbours at each."""
    from companion.bpe import BYTE_TO_UNICODE, gpt2

    word, steps, before = "unbelievability", list[dict[str, Any]](), list[bytes]()
    of_pair = {pair: rank for rank, pair in enumerate(gpt2().merges)}
    for tokens in gpt2().merge_steps(word):
        # The place of the token that is new is the first where the two differ.
        at = next((i for i, token in enumerate(tokens) if before and token != before[i]), -1)
        rank = of_pair[before[at], before[at + 1]] if before else -1
        text = ["".join(BYTE_TO_UNICODE[byte] for byte in token) for token in tokens]
        ranks = [of_pair.get(pair) for pair in itertools.pairwise(tokens)]
        steps.append({"tokens": text, "at": at, "rank": rank, "ranks": ranks})
        before = tokens
    return {"word": word, "steps": steps, "ids": gpt2().encode(word)}


def streaming(names: Names) -> dict[str, Any]:
    """Return the ids of the chapter's text and of its parts at each cut, in both tokenizers."""
    from companion.patterns import read_pattern

    text = names["to_cut"]

    def cut(tokenizer: Any) -> dict[str, Any]:
        encode, whole = tokenizer.encode, tokenizer.encode(text)
        cuts = [[encode(text[:i]), encode(text[i:])] for i in range(1, len(text))]
        ids = sorted({*whole, *itertools.chain(*itertools.chain(*cuts))})
        tokens = {i: tokenizer.decode([i]) for i in ids}
        words = read_pattern(tokenizer.pattern).findall(text)
        return {"tokens": tokens, "words": words, "whole": whole, "cuts": cuts}

    return {"text": text, "gpt2": cut(names["old"]), "o200k": cut(names["new"])}


def training(names: Names) -> dict[str, Any]:
    """Train the chapter's model again; return what it is at about twenty steps."""
    # One of them is that of the lowest loss on the held-out text. The rows are those of the
    # chapter's map, in the plane in which the trained ones differ most.
    from torch.optim.optimizer import register_optimizer_step_post_hook

    torch, losses = names["torch"], names["losses"]
    words = [name.replace(" ", "␣").replace("\n", "⏎") for name in names["names"]]
    lowest, n_steps = names["held_out"].index(min(names["held_out"])), itertools.count()
    at = sorted({lowest, *(round(i * len(losses) / 20) for i in range(21))})
    prompt = torch.tensor([names["tokenizer"].encode("Once upon a time there were four")])
    tables, expected = list[Any](), list[Any]()

    def save(*_: Any) -> None:
        if next(n_steps) in at:
            tables.append(model.embeddings.token.weight.detach()[shown].clone())
            best = model(prompt)[0, -1].detach().softmax(-1).topk(5)
            expected.append([(words[i], rounded(p, 2)) for p, i in zip(*best, strict=True)])

    marked = [i for group in names["groups"].values() for i in group.values()]
    shown = [*marked, *(i for i in names["frequent"] if i not in marked)]
    torch.manual_seed(0)
    model = names["Model"]()
    save()
    hook = register_optimizer_step_post_hook(save)
    names["train"](model, names["train_ids"])
    hook.remove()

    rows = torch.stack(tables) - torch.stack(tables).mean(1, keepdim=True)
    axes = torch.linalg.svd(rows[-1]).Vh[:2]
    axes *= axes.gather(1, axes.abs().argmax(1, keepdim=True)).sign()  # as in the still figure
    group = torch.tensor([i for i, words in enumerate(names["groups"].values()) for _ in words])
    unit = torch.nn.functional.normalize(torch.stack(tables)[:, : len(group)], dim=-1)
    nearest = (unit @ unit.mT).topk(2).indices[..., 1]  # the first is the word itself
    groups = {name: [words[i] for i in g.values()] for name, g in names["groups"].items()}
    return {
        "words": [words[i] for i in shown],
        "groups": groups,
        "steps": at,
        "points": rounded(rows @ axes.T, 4),
        "near": (group[nearest] == group).sum(-1).tolist(),  # words of the groups
        "expected": expected,
        "losses": [round(x, 3) for x in losses],
        "held_out": [round(x, 3) for x in names["held_out"]],
    }


def more_tables(names: Names) -> dict[str, Any]:
    """Return the chapter's text, the factors of its hash and the sizes of its heads."""
    decode, ids = names["tokenizer"].decode, names["ids"]
    numbers = {"factors": names["FACTORS"], "heads": names["HEADS"], "end": names["END"]}
    return {"text": names["text"], "tokens": [(decode([i]), i) for i in ids], "chosen": 2} | numbers


def nearest_rows() -> tuple[list[str], dict[str, Any]]:
    """Return the tokens that have trained rows, and the ten nearest rows of each in two tables."""
    # In a new table and in that of all-MiniLM-L6-v2: places among the tokens, and cosines.
    import torch

    from companion.pretrained import minilm
    from companion.wordpiece import bert_uncased

    trained, vocab = minilm().token.weight.detach(), list(bert_uncased().vocab)
    ids = (~trained[:, 0].isnan()).nonzero().flatten()
    torch.manual_seed(1)
    random, found = torch.nn.Embedding(*trained.shape).weight.detach(), {}
    for name, table in {"new": random, "trained": trained}.items():
        rows = torch.nn.functional.normalize(table[ids])
        near = (rows @ rows.T).topk(11)  # the first is the token itself
        found[name] = near.indices[:, 1:], near.values[:, 1:]
    return [vocab[i] for i in ids], found


def neighbours(_: Names) -> dict[str, Any]:
    """Return the nearest rows of one word; those of the others are in a file of their own."""
    (tokens, found), word = nearest_rows(), "rabbit"
    states, row = {"word": word, "n": len(tokens)}, tokens.index(word)
    for name, (places, cosines) in found.items():
        pairs = zip(places[row], rounded(100 * cosines[row], 0), strict=True)
        states[name] = [[tokens[place], cosine] for place, cosine in pairs]
    return states


FUNCTIONS: list[Callable[[Names], dict[str, Any]]] = [
    bert_input, cuts, gpt2_tokenizer, index, more_tables, neighbours, positions, relative_positions,
    sinusoids, start, streaming, token_embeddings, training, windows,
]  # fmt: skip
# By the name of the figure; a figure that is not here begins from its script alone.
STATES = {function.__name__.replace("_", "-"): function for function in FUNCTIONS}
