"""Forests grown from sums over parts of the rows, wherever these are."""

from ._bags import SummedBags as SummedBags
from ._forest import SummedRows as SummedRows, SumsOverRows as SumsOverRows, grow_forest as grow_forest
from ._growth import Asked as Asked
from ._histograms import Question as Question, histograms_of as histograms_of, merged as merged
from ._local import WholeRows as WholeRows, grown_again as grown_again, regrown as regrown
from ._rows import (
    CodedRows as CodedRows,
    RawRows as RawRows,
    Scales as Scales,
    Survey as Survey,
    code_rows as code_rows,
)
from ._search import Splits as Splits, best_splits as best_splits
from ._settings import refuse_unsummed as refuse_unsummed
