"""How tables call the libraries that targets speak of."""

OURS = "maxmargin"
SKLEARN = "scikit-learn"
INTELEX = "scikit-learn-intelex"
FAISS = "faiss"
