"""The routes of the web application."""
