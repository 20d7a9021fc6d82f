"""The networks as PyTorch modules."""
