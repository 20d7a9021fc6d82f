"""The network's weights, as data files."""
