// Converts a saved picture to PNG and downloads it.

const SCALE = 2; // pixels to a unit of the picture
const LONGEST_SIDE = 1200; // the least number of pixels of the longer side
const KEPT = 60_000; // milliseconds after which the file is released

/**
 * @param {string} address of an SVG of this server
 * @param {string} name of the file
 */
export async function savePng(address, name) {
  const picture = new Image();
  picture.src = `${address}?${Date.now()}`; // avoids an outdated cached picture
  await picture.decode();
  const canvas = document.createElement("canvas");
  const { naturalWidth: width, naturalHeight: height } = picture;
  const scale = Math.max(SCALE, LONGEST_SIDE / Math.max(width, height));
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  /** @type {Blob | null} */
  const made = await new Promise((take) => canvas.toBlob(take, "image/png"));
  if (!made) throw new Error("the browser has made no PNG");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(made);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT);
}
