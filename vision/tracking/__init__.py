"""A board in a video: motion, occlusion, accumulated readings, redetection."""
