"""What is wrong with a model file."""

from __future__ import annotations


class ModelFileError(ValueError):
    """A model that cannot be saved, or a file that is not a model.

    One sentence says which file, which place in it, and what is wrong there.

    A file that raises it has not been used: nothing of it was run, and no object was made from it.
    """


# Estimators inside estimators. scikit-learn looks at the first and the last step of a pipeline three times for each
# question: what takes a microsecond for one takes ten thousand for eight of them, one inside the other.
MAX_NESTED = 8
# Estimators, splitters and random states of a file. Each takes up to a tenth of a millisecond, arrays apart.
MAX_OBJECTS = 2**14


class Mismatch(Exception):  # noqa: N818 - never leaves the room
    """Something is not as it should be, at a place inside a model (``steps[1].coef_``)."""

    def __init__(self, where: Where, what: str) -> None:
        what = " ".join(what.split())  # in one line: parameters may be of any length, and have lines of their own
        what = what if len(what) <= _MOST_SAID else f"{what[:_MOST_SAID]}..."
        self.where, self.what = str(where), what
        super().__init__(f"{self.where}: {what}" if self.where else what)


class Place:
    """A place inside a model, put into words when there is something to say of it and not before.

    A text for each place would take time and memory by the product of depth, length of names, and number of values.
    """

    __slots__ = ("_form", "_key", "_made", "_outer", "level")

    def __init__(self, outer: Where, key: object = "", form: str = "{}", deeper: int = 0) -> None:
        self._outer, self._key, self._form = outer, key, form
        around = outer if isinstance(outer, Place) else None
        self.level: int = deeper if around is None else around.level + deeper
        self._made: list[int] = [0] if around is None else around._made  # one count for all places of a file

    def count(self) -> int:
        """Count one more object that is made; how many of the file have been."""
        self._made[0] += 1
        return self._made[0]

    def __str__(self) -> str:
        parts: list[str] = []
        place: Where = self
        while isinstance(place, Place):
            parts.append(place._form.format(_short(place._key)))
            place = place._outer
        text = "".join([place, *reversed(parts)]).removeprefix(".")
        return text if len(text) <= _MOST_WORDS else f"{text[: _MOST_WORDS // 2]}...{text[-_MOST_WORDS // 2 :]}"


Where = str | Place
_MOST_WORDS, _MOST_KEY, _MOST_SAID = 400, 60, 1000


def cut_short(text: str) -> str:
    """Words of others in one line, of which the first ones will do."""
    line = " ".join(text[: 2 * _MOST_WORDS].split())
    return line if len(line) <= _MOST_WORDS else f"{line[:_MOST_WORDS]}..."


def _short(key: object) -> str:
    if not isinstance(key, str):
        return str(key)
    return key if len(key) <= _MOST_KEY else f"{key[:_MOST_KEY]}..."


def inside(where: Where, name: str) -> Place:
    """The place of an attribute."""
    return Place(where, name, ".{}")


def at(where: Where, key: int | str) -> Place:
    """The place of an item, by its number or name."""
    return Place(where, key if isinstance(key, int) else repr(key[:_MOST_KEY]), "[{}]")


def made(where: Where, deeper: int = 0) -> Place:
    """The place of an object that is about to be made, and counted; of an estimator, one estimator deeper."""
    place = Place(where, deeper=deeper)
    if place.level > MAX_NESTED:
        raise Mismatch(place, f"is an estimator inside more than {MAX_NESTED - 1} others, which is the limit.")
    if place.count() > MAX_OBJECTS:
        raise Mismatch(place, f"is one of more than {MAX_OBJECTS} estimators and other objects, which is the limit.")
    return place
