"""The plugin that swaps scikit-learn's machines for ours is for a Python of its own, not for doctests of this one."""

collect_ignore = ["sklearn_svm_swapped.py"]
