"""Regularised risks, least squares and separation: one algorithm a file."""
