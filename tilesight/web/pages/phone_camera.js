// The phone's own parts: its camera with lens, size and torch, a screen that stays on, and the battery.

const LOW_BATTERY = 0.3;

/** Sizes of the picture: the longer and the shorter side, in pixels. */
export const SIZES = { 1280: 720, 1920: 1080, 2560: 1440 };

/** Whether this browser gives a camera to this page. */
export function hasCamera() {
  return navigator.mediaDevices?.getUserMedia !== undefined;
}

/** Opens the camera with this lens (an empty name is the back one) and shows it in a video element; gives its track. */
export async function openCamera(video, lens, size) {
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: false,
    video: {
      ...(lens === "" ? { facingMode: { ideal: "environment" } } : { deviceId: { exact: lens } }),
      width: { ideal: size },
      height: { ideal: SIZES[size] },
      frameRate: { ideal: 30 },
    },
  });
  video.srcObject = stream;
  await video.play();
  return stream.getVideoTracks()[0];
}

/** Closes the camera of a video element. */
export function closeCamera(video) {
  for (const track of video.srcObject?.getTracks() ?? []) {
    track.stop();
  }
  video.srcObject = null;
}

/** Lists the phone's lenses; they have names once the camera was allowed. */
export async function listLenses() {
  const devices = await navigator.mediaDevices.enumerateDevices();
  return devices.filter(({ kind, deviceId, label }) => kind === "videoinput" && deviceId !== "" && label !== "");
}

/** Whether the lens has a torch. */
export function hasTorch(track) {
  return track.getCapabilities?.().torch === true;
}

/** Switches the torch. */
export async function setTorch(track, isOn) {
  await track.applyConstraints({ advanced: [{ torch: isOn }] });
}

/** Keeps the screen on while the page is seen; gives whether the browser does that. */
export async function keepScreenOn() {
  try {
    await navigator.wakeLock.request("screen");
    return true;
  } catch {
    return false;
  }
}

/** Watches the battery, where the browser tells about it: calls back with its level if it is low and not charged. */
export async function watchBattery(onChange) {
  const battery = await navigator.getBattery?.().catch(() => undefined);
  const tell = () => onChange(battery.charging || battery.level > LOW_BATTERY ? null : battery.level);
  for (const name of ["chargingchange", "levelchange"]) {
    battery?.addEventListener(name, tell);
  }
  if (battery !== undefined) {
    tell();
  }
}
