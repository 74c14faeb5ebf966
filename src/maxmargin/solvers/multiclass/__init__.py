"""Problems of all classes together."""
