"""The web server: it serialises tables' states, and hands commands on to them."""
