// One message of the socket: the length of a JSON header, the header, and arrays. See `_frames.py`.

const KINDS = { f8: Float64Array, f4: Float32Array, u1: Uint8Array, i4: Int32Array };
const NAMES = new Map([[Float64Array, "f8"], [Float32Array, "f4"], [Uint8Array, "u1"], [Int32Array, "i4"]]);

/** A message of a header and, by name, typed arrays with their shapes: {name: [array, shape]}. */
export function pack(header, arrays = {}) {
  const places = {};
  let size = 0;
  for (const [name, [array, shape]] of Object.entries(arrays)) {
    places[name] = [NAMES.get(array.constructor), shape, size];
    size += Math.ceil(array.byteLength / 8) * 8;
  }
  const text = new TextEncoder().encode(JSON.stringify({ ...header, arrays: places }));
  const start = Math.ceil((text.length + 4) / 8) * 8;
  const message = new Uint8Array(start + size).fill(32, 4, start);
  new DataView(message.buffer).setUint32(0, start - 4, true);
  message.set(text, 4);
  for (const [name, [array]] of Object.entries(arrays)) {
    message.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), start + places[name][2]);
  }
  return message;
}

/** Header and arrays of a message; each array has its `shape`. */
export function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const arrays = {};
  for (const [name, [kind, shape, start]] of Object.entries(header.arrays ?? {})) {
    const count = shape.reduce((a, b) => a * b, 1);
    arrays[name] = new KINDS[kind](buffer, 4 + length + start, count);
    arrays[name].shape = shape;
  }
  delete header.arrays;
  return { header, arrays };
}
