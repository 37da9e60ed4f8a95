import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const pageSize = 4096;
const hashSize = 32;
const superBlobSize = 20;
/** Version 0x20400. */
const directorySize = 88;

/**
 * Replaces the signature of a 64-bit Mach-O file by a valid one without a certificate, as the linker of Xcode writes it.
 * Bun signs its executables for arm64 only. Those for x64 still have the signature of the runtime, and newer versions of
 * macOS end a program whose signature is invalid. The layout is that of `cs_blobs.h` in the sources of macOS.
 */
export function signMacho(file, identifier) {
  const original = readFileSync(file);
  const { signature, linkedit, text } = findCommands(original);
  const codeSize = original.readUInt32LE(signature + 8);
  const pages = Math.ceil(codeSize / pageSize);
  const name = Buffer.from(`${identifier}\0`);
  const hashOffset = directorySize + name.length;
  const directoryLength = hashOffset + pages * hashSize;
  const length = superBlobSize + directoryLength;
  const paddedLength = Math.ceil(length / 16) * 16;
  const signed = Buffer.alloc(codeSize + paddedLength);
  original.copy(signed, 0, 0, codeSize);

  // Before hashing, because the first page contains these fields.
  signed.writeUInt32LE(paddedLength, signature + 12);
  const linkeditSize = BigInt(signed.length) - original.readBigUInt64LE(linkedit + 40);
  signed.writeBigUInt64LE(linkeditSize, linkedit + 48);
  signed.writeBigUInt64LE(((linkeditSize + 0x3fffn) / 0x4000n) * 0x4000n, linkedit + 32);

  const words = [0xfade0cc0, length, 1, 0, superBlobSize];
  // No special slots, SHA-256 (2), pages of 2^12 bytes; flags: ad hoc, by a linker.
  words.push(0xfade0c02, directoryLength, 0x20400, 0x20002, hashOffset, directorySize, 0, pages, codeSize);
  words.push((hashSize << 24) | (2 << 16) | 12, 0, 0, 0, 0, 0, 0);
  let offset = codeSize;
  for (const word of words) offset = signed.writeUInt32BE(word, offset);
  // The segment with the code of the main program.
  offset = signed.writeBigUInt64BE(original.readBigUInt64LE(text + 40), offset);
  offset = signed.writeBigUInt64BE(original.readBigUInt64LE(text + 48), offset);
  offset = signed.writeBigUInt64BE(1n, offset);
  offset += name.copy(signed, offset);
  for (let page = 0; page < codeSize; page += pageSize) {
    const bytes = signed.subarray(page, Math.min(page + pageSize, codeSize));
    offset += createHash('sha256').update(bytes).digest().copy(signed, offset);
  }
  writeFileSync(file, signed);
}

/** Returns the offsets of the load commands for the signature and for two segments. */
function findCommands(bytes) {
  if (bytes.readUInt32LE(0) !== 0xfeedfacf) throw new Error('the file is not a 64-bit Mach-O file');
  const found = {};
  let offset = 32;
  for (let left = bytes.readUInt32LE(16); left > 0; left -= 1) {
    const command = bytes.readUInt32LE(offset);
    const segment = bytes.toString('latin1', offset + 8, offset + 24).replace(/\0.*$/s, '');
    if (command === 0x1d) found.signature = offset;
    if (command === 0x19 && segment === '__LINKEDIT') found.linkedit = offset;
    if (command === 0x19 && segment === '__TEXT') found.text = offset;
    offset += bytes.readUInt32LE(offset + 4);
  }
  if (Object.keys(found).length !== 3) throw new Error('the file has no signature to replace');
  return found;
}
