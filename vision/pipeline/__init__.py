"""The only place where stages meet: a photo, a sequence of photos, a video, a rack."""
