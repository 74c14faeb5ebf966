"""
Objects in a picture
====================

A window slides over the picture in all sizes, and a cascade says of each window whether it shows the object. Of
boxes that overlap the one with the largest score is kept.

The objects are zeros among scikit-learn's handwritten digits, put in front of a photograph of a palace.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.ndimage import zoom
from sklearn.datasets import load_digits, load_sample_image

from maxmargin.detection import SlidingWindow

palace, digits = load_sample_image("china.jpg") / 255, load_digits()
zeros = digits.images[digits.target == 0] / 16


def scene(left, seed):
    rng = np.random.default_rng(seed)
    image, size = palace[:200, left : left + 160].copy(), int(rng.integers(20, 40))
    top, side = rng.integers(200 - size), rng.integers(160 - size)
    zero = zoom(zeros[rng.integers(len(zeros))], size / 8, order=1, grid_mode=True, mode="nearest")
    image[top : top + size, side : side + size] = zero[:size, :size, None]
    return image, [[top, side, top + size, side + size]]


images, boxes = zip(*[scene(320 * (k % 2), k) for k in range(16)], strict=True)
model = SlidingWindow(random_state=0).fit(images, boxes)
image, _ = scene(160, 100)
found = model.detect(image)

figure, ax = plt.subplots(figsize=(5, 5), layout="constrained")
ax.imshow(image)
for top, left, bottom, right in found.boxes[:3]:
    ax.add_patch(plt.Rectangle((left, top), right - left, bottom - top, fill=False, edgecolor="white", linewidth=3))
    ax.add_patch(plt.Rectangle((left, top), right - left, bottom - top, fill=False, edgecolor="black", linewidth=1))
ax.set(title=f"{found.windows} windows, {found.passed} passed, {len(found)} kept;\nthe three with the largest scores")
ax.set_axis_off()
