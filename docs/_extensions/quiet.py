"""What the gallery does before each example: the note that inner loops are compiled is no output of the example."""

import logging


def silence(gallery_conf, fname):
    logging.getLogger("maxmargin").setLevel(logging.ERROR)
