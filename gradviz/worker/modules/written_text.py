"""`import torchtext` for a snippet, as far as a language model is trained with it: WikiText2, whose lines are generated
here, a tokenizer, and a vocabulary.

The lines are sentences of a small grammar, so that what comes next can partly be learnt; the run is told once that they
are generated. Next: `vision`, which draws pictures in the same way."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, SupportsInt

from gradviz.worker.language.stand_in import stand_in

VERSION = "0.18.0"
_LINES = {"train": 3_000, "valid": 300, "test": 300}
_SAID = (
    "WikiText2 is not here: these {count:,} lines are written by GradViz with {words} words, far fewer than it has.\n"
)
_WHO = """the river|the old town|the first king|a young poet|the northern army|the second album|the small island|
the team|the railway|a new bridge|the museum|the local school|the great storm|the ship|the novel|the company"""
_DID = """was built near|was named after|was found in|moved to|returned from|was sold to|became part of|lies north of|
was seen from|was taken by|was described in|was opened in|was lost in|led to|was known for|was led by|won against"""
_WHOM = """the sea|the capital|the war|a large forest|the second world war|the king of the north|the early years|
the western road|a famous song|its second season|the last century|the people of the town|a long winter|the new state"""
_WHEN = """in the spring|in the summer of 18 {n}|after {n} years|in 19 {n}|for {n} days|at the end of the year|
early in 20 {n}|during the winter|in the same year|soon after"""
random.Random("")  # here: from Python 3.13 on, the first seed that is a text imports what hashes it
_THEN = "however|later|in addition|as a result|by then|at first"
_ADDED = """it was @-@ for a time the largest of its kind|the work took {n} years|many of its walls still stand|
about {n} people lived there|critics praised it|no trace of it was found|it was repaired twice"""


def _lines(part: str) -> Iterator[str]:
    """Return the lines of one part, the same each time: titles between empty lines, and paragraphs of sentences."""
    drawn = random.Random(part)
    who, did, whom, when, then, added = (
        [" ".join(each.split()) for each in text.split("|")] for text in (_WHO, _DID, _WHOM, _WHEN, _THEN, _ADDED)
    )

    def choose(options: list[str]) -> str:
        weights = [1 / (1 + place) for place in range(len(options))]  # some are more frequent, as words are
        return drawn.choices(options, weights)[0].replace("{n}", str(drawn.randrange(2, 60)))

    for number in range(_LINES[part]):
        if number % 10 == 0:
            yield f" = {choose(who).removeprefix('the ').title()} = \n"
        elif number % 10 in (1, 9):
            yield " \n"
        else:
            sentences = [
                f"{choose(who)} {choose(did)} {choose(whom)} {choose(when)}" for _ in range(drawn.randrange(1, 4))
            ]
            ends = f" {choose(then)} , {choose(added)} ." if drawn.random() < 0.5 else ""
            yield f" {' . '.join(sentences).capitalize()} .{ends} \n"


# What a tokenizer of plain English treats as a separate word.
_MARKS = re.compile(r"'|\.|,|\(|\)|!|\?")


def _basic_english(line: object) -> list[str]:
    """Split into lower-case words, each punctuation mark a separate one."""
    text = str.__str__(line).lower().replace('"', "").replace("<br />", " ").replace(";", " ").replace(":", " ")
    return _MARKS.sub(r" \g<0> ", text).split()


def get_tokenizer(tokenizer: Any, language: object = "en") -> Callable[[object], list[str]]:
    """Return a tokenizer."""
    if tokenizer is None:
        return lambda line: str.__str__(line).split()
    if isinstance(tokenizer, str):
        if tokenizer != "basic_english":
            raise PermissionError(
                f"the tokenizer {str.__str__(tokenizer)} is not available in GradViz snippets; basic_english is"
            )
        return _basic_english
    return tokenizer  # type: ignore[no-any-return]  # a function of the snippet


class Vocab:
    """The numbers of words."""

    __slots__ = ("_numbers", "_unknown", "_words")

    def __init__(self, words: Any) -> None:
        self._words = [str.__str__(each) for each in words]
        self._numbers = {word: number for number, word in enumerate(self._words)}
        self._unknown: int | None = None

    def set_default_index(self, index: Any) -> None:
        """Set the number for unknown words."""
        self._unknown = None if index is None else int(index)

    def get_default_index(self) -> int | None:
        """Return the number for unknown words."""
        return self._unknown

    def __getitem__(self, token: object) -> int:
        found = self._numbers.get(str.__str__(token), self._unknown)
        if found is None:
            raise RuntimeError(f"Token {str.__str__(token)} not found and default index is not set")
        return found

    def __call__(self, tokens: Iterable[object]) -> list[int]:
        return [self[each] for each in tokens]

    lookup_indices = __call__

    def __len__(self) -> int:
        return len(self._words)

    def __contains__(self, token: object) -> bool:
        return str.__str__(token) in self._numbers

    def lookup_token(self, index: SupportsInt) -> str:
        """Return the word with this number."""
        return self._words[int(index)]

    def lookup_tokens(self, indices: Iterable[SupportsInt]) -> list[str]:
        """Return the words with these numbers."""
        return [self._words[int(each)] for each in indices]

    def get_itos(self) -> list[str]:
        """Return every word, by its number."""
        return list(self._words)

    def get_stoi(self) -> dict[str, int]:
        """Return every number, by its word."""
        return dict(self._numbers)


def build_vocab_from_iterator(
    iterator: Iterable[Any],
    min_freq: Any = 1,
    specials: Any = None,
    special_first: object = True,
    max_tokens: Any = None,
) -> Vocab:
    """Return the vocabulary of an iterator, the most frequent words first."""
    counts = Counter(str.__str__(token) for tokens in iterator for token in tokens)
    marks = [str.__str__(each) for each in specials or ()]
    words = [word for word, count in sorted(counts.items(), key=lambda each: (-each[1], each[0])) if count >= min_freq]
    words = [word for word in words if word not in marks]
    if max_tokens is not None:
        words = words[: max(0, int(max_tokens) - len(marks))]
    return Vocab(marks + words if special_first else words + marks)


def written_modules(say: Callable[[str], None]) -> dict[str, object]:
    """Return the stand-ins by module name; `say` reports that the lines are generated."""
    said: list[bool] = []

    def WikiText2(
        root: object = None, split: Any = ("train", "valid", "test")
    ) -> Iterator[str] | tuple[Iterator[str], ...]:
        parts = [split] if isinstance(split, str) else list(split)
        names = [str.__str__(each) for each in parts]
        for each in names:
            if each not in _LINES:
                raise ValueError(f"the parts of WikiText2 are {', '.join(_LINES)}, and none is {each}")
        if not said:
            said.append(True)
            words = {word for part in _LINES for line in _lines(part) for word in _basic_english(line)}
            say(_SAID.format(count=sum(_LINES.values()), words=len(words)))
        made = tuple(iter(list(_lines(each))) for each in names)
        return made[0] if isinstance(split, str) else made

    utils = stand_in("torchtext.data.utils", {"get_tokenizer": get_tokenizer})
    data = stand_in("torchtext.data", {"utils": utils, "get_tokenizer": get_tokenizer})
    vocab = stand_in("torchtext.vocab", {"Vocab": Vocab, "build_vocab_from_iterator": build_vocab_from_iterator})
    sets = stand_in("torchtext.datasets", {"WikiText2": WikiText2})
    root = stand_in("torchtext", {"data": data, "vocab": vocab, "datasets": sets, "__version__": VERSION})
    parts = {"data.utils": utils, "data": data, "vocab": vocab, "datasets": sets}
    return {"torchtext": root, **{f"torchtext.{name}": part for name, part in parts.items()}}
