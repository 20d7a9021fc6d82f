"""Train the networks. Offline: needs PyTorch and the renderer, and is not in the wheel."""
