"""The box QP of the kernel machines: working sets with SMO inside, and what takes over where that is slow."""
