"""What live figures show, from the names of their chapters, as these are after the labelled cell.

`kernel` asks when it runs the chapter, in the chapter's own Python.
"""

import itertools
from collections.abc import Callable
from typing import Any

Names = dict[str, Any]


def rounded(numbers: Any, digits: int = 9) -> Any:
    # A tensor as lists. The page rounds again: 0.00499998 must not become 0.005 here.
    return numbers.double().round(decimals=digits).tolist()


def index(names: Names) -> dict[str, Any]:
    # The sentence with rows of the page's two random tables, and with trained ones.
    from workbook.rows import bert_tokens, bert_trained, gpt2_tokens, new

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
    # The chapter's text, with its random rows for both models.
    from workbook.rows import SIZES, bert_tokens, gpt2_tokens, new, of_random

    text, models = "".join(names["pieces"]), {}
    known = {"gpt2": gpt2_tokens(text), "bert": bert_tokens(text)}
    for name, tables, width in (("GPT-2", names["of_gpt2"], 8), ("BERT", names["of_bert"], 10)):
        rows = {kind: tables[kind][1].items() for kind in SIZES[name]}
        firsts = {kind: {i: of_random(r)[:width] for i, r in rows[kind]} for kind in rows}
        models[name] = new(name, **firsts)
    return {"texts": [text], "front": "Now ", "n": 10, "known": known, "models": models}


def bert_input(names: Names) -> dict[str, Any]:
    # The chapter's two texts with trained rows; new ones are made in the page.
    from workbook.rows import bert_tokens, bert_trained, new

    texts = names["pair"]
    known = {"bert": bert_tokens(*texts)}
    models = {"trained": bert_trained(known["bert"]) | {"chosen": 2}, "new": new("BERT")}
    return {"texts": texts, "front": "Now ", "n": 12, "known": known, "models": models}


def cuts(names: Names) -> dict[str, Any]:
    # The page's text, and where each of its tokenizers cuts it.
    from workbook.cuts import cuts_of

    return cuts_of(names["text"], names["tokenizers"])


def token_embeddings(names: Names) -> dict[str, Any]:
    # The chapter's text, and the ids and trained rows of its tokens and of some others.
    tokens = [*dict.fromkeys([*names["text"], "a", "rabbit"])]
    rows = {token: [names["bert"].vocab[token], names["row"](token)[:8]] for token in tokens}
    return {"text": names["text"], "shape": names["shape"], "rows": rows}


def windows(names: Names) -> dict[str, Any]:
    # How many ids the chapter's row has, and the first of its windows.
    first = names["settings"][0]
    return {"n": len(names["row"]), "context": first.context_size, "stride": first.stride}


def positions(names: Names) -> dict[str, Any]:
    # What the chapter's function gives for its three tokens in each order.
    rows, orders = names["rows"], list(itertools.permutations(range(3)))
    texts = [rows[list(order)] for order in orders]

    def mixed(x: Any) -> Any:
        return [[round(number, 9) for number in vector] for vector in names["mix"](x.tolist())]

    added = [mixed(x + names["places"]) for x in texts]
    found = {"tokens": names["tokens"], "orders": orders}
    return found | {"without": [*map(mixed, texts)], "added": added}


def sinusoids(names: Names) -> dict[str, Any]:
    # Rows of the chapter's table, and how far each hand turns at a step.
    rows = rounded(names["sinusoids"](72, 8))
    return {"frequencies": names["frequencies"](8).tolist(), "rows": rows}


def relative_positions(names: Names) -> dict[str, Any]:
    # The chapter's point up to its last key and 24 on, and one that is ten times slower.
    at = names["at"]
    points = {d: [rounded(at(p * d / 30)) for p in range(108 + 25)] for d in (30, 3)}
    return {"pairs": [{"degrees": d, "points": points[d]} for d in points]}


def gpt2_tokenizer(names: Names) -> dict[str, Any]:
    # The steps of the chapter's figure, and the ranks of all neighbours at each.
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
    # The ids of the chapter's text and of its parts at each cut, in both tokenizers.
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
    # Train the chapter's model again; return what it is at about twenty steps.
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
    # The chapter's text, the factors of its hash and the sizes of its heads.
    decode, ids = names["tokenizer"].decode, names["ids"]
    numbers = {"factors": names["FACTORS"], "heads": names["HEADS"], "end": names["END"]}
    return {"text": names["text"], "tokens": [(decode([i]), i) for i in ids], "chosen": 2} | numbers


def neighbours(_: Names) -> dict[str, Any]:
    # The nearest rows of one word; those of the others are in a file of their own.
    from workbook.rows import nearest_rows

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
