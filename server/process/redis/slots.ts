// The slot of a key in Redis Cluster, as its specification defines it: CRC16 (XMODEM) of the hash tag, or else of the whole key.

export const SLOTS = 16_384;

export function slotOf(key: string): number {
  const start = key.indexOf('{');
  const end = start === -1 ? -1 : key.indexOf('}', start + 1);
  const hashed = end > start + 1 ? key.slice(start + 1, end) : key;
  let crc = 0;
  for (const byte of Buffer.from(hashed)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
    crc &= 0xffff;
  }
  return crc % SLOTS;
}
