"""A referee that knows the optimum: problems are solved in hundreds of bits and certificates compared with that.

Nothing of maxmargin is used to find an optimum. Every objective is written down here once more, from the manual:
`machines` turns a fitted estimator's parameters and its training data into quadratic programmes (`quadratic`) or into a
logistic problem (`smooth`), each of which gives an interval of exact fractions that contains the optimum. `judge` holds
certificates against these intervals, `hostile` makes the problems, and ``python -m tests.referee.fuzz`` runs them.
"""
