// An animated PNG from PNG pictures of one size: their data are put one after the other, as the format has it.

const TABLE = Uint32Array.from({ length: 256 }, (_, k) => {
  let c = k;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

function checksum(bytes) {
  let c = 0xffffffff;
  for (const byte of bytes) c = TABLE[(c ^ byte) & 255] ^ (c >>> 8);
  return ~c >>> 0;
}

function chunk(name, data) {
  const bytes = new Uint8Array(12 + data.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  bytes.set([...name].map((c) => c.charCodeAt(0)), 4);
  bytes.set(data, 8);
  view.setUint32(8 + data.length, checksum(bytes.subarray(4, 8 + data.length)));
  return bytes;
}

function* chunks(png) {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  for (let at = 8; at < png.length; ) {
    const length = view.getUint32(at);
    yield [String.fromCharCode(...png.subarray(at + 4, at + 8)), png.subarray(at + 8, at + 8 + length)];
    at += 12 + length;
  }
}

function fields(...values) {
  const size = { 1: "setUint8", 2: "setUint16", 4: "setUint32" };
  const data = new Uint8Array(values.reduce((sum, [bytes]) => sum + bytes, 0));
  const view = new DataView(data.buffer);
  let at = 0;
  for (const [bytes, value] of values) {
    view[size[bytes]](at, value);
    at += bytes;
  }
  return data;
}

/** The animation: `frames` are blobs, each shown for so many milliseconds, the last one for longer. */
export async function animate(frames, width, height, milliseconds) {
  const pictures = await Promise.all(frames.map(async (blob) => new Uint8Array(await blob.arrayBuffer())));
  const parts = [pictures[0].slice(0, 8)];
  let number = 0;
  pictures.forEach((png, k) => {
    for (const [name, data] of chunks(png)) {
      if (k === 0 && name === "IHDR") {
        parts.push(chunk("IHDR", data), chunk("acTL", fields([4, pictures.length], [4, 0])));
      } else if (name === "IDAT") {
        if (parts.at(-1).picture !== k) {
          const wait = k === pictures.length - 1 ? 2000 : milliseconds;
          const control = chunk("fcTL", fields([4, number++], [4, width], [4, height], [4, 0], [4, 0], [2, wait], [2, 1000], [1, 0], [1, 0]));
          parts.push(control);
        }
        const body = k === 0 ? chunk("IDAT", data) : chunk("fdAT", Uint8Array.from([...fields([4, number++]), ...data]));
        body.picture = k;
        parts.push(body);
      }
    }
  });
  parts.push(chunk("IEND", new Uint8Array(0)));
  return new Blob(parts, { type: "image/png" });
}
