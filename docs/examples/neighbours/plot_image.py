"""
Segments of a photograph
========================

:func:`~maxmargin.cluster.image_graph` joins pixels that are near each other and of like colour. A normalised cut of
that graph is a segmentation of the photograph.

The flower is cut from its leaves. The graph has a few thousand nodes and is sparse, so that the eigenvectors are
found in a moment.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_sample_image

from maxmargin.cluster import SpectralClustering, image_graph

picture = load_sample_image("flower.jpg")[::10, ::10]
graph = image_graph(picture, radius=4.0, colour_scale=0.2)
model = SpectralClustering(2, affinity="precomputed", assign_labels="best_ncut").fit(graph)

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
left.imshow(picture)
right.imshow(model.labels_.reshape(picture.shape[:2]), cmap="cividis")
for ax in (left, right):
    ax.set_axis_off()
print(model.certificate_.statement)
