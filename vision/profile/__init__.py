"""What calibration measured: the value, its file, the lens."""

from vision.profile.lens import Lens, LensModel, UndistortedView
from vision.profile.profile import BoardSection, LensSection, LightSection, Origin, Profile, TilesSection
from vision.profile.profile_io import load_profile, save_profile

__all__ = [
    "BoardSection",
    "Lens",
    "LensModel",
    "LensSection",
    "LightSection",
    "Origin",
    "Profile",
    "TilesSection",
    "UndistortedView",
    "load_profile",
    "save_profile",
]
