import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

/** The code is signed in pages of 2^12 bytes. */
const pageBits = 12;
const pageSize = 2 ** pageBits;

/** The digest of a page: SHA-256. */
const hashType = 2;
const hashSize = 32;

/** The container of a signature, with one part: the code directory. */
const superBlobMagic = 0xfade0cc0;
const superBlobSize = 20;

/** A code directory of version 2.4, without the name of the program and the digests. */
const directoryMagic = 0xfade0c02;
const directoryVersion = 0x20400;
const directorySize = 88;

/** Ad hoc, which means without a certificate, and by a linker. */
const signatureFlags = 0x20002;

/** The code directory belongs to the main program of the file. */
const mainBinary = 1n;

/**
 * Replaces the signature of a 64-bit Mach-O file by a valid one without a certificate, as the linker of Xcode writes it.
 * Bun signs its executables for arm64 only. Those for x64 still have the signature of the runtime, and newer versions of
 * macOS end a program whose signature is invalid. The layout is that of `cs_blobs.h` in the sources of macOS.
 */
export function signMacho(file, identifier) {
  const original = readFileSync(file);
  const { signature, linkedit, text } = findCommands(original);
  const codeSize = original.readUInt32LE(signature + 8);
  const name = Buffer.from(`${identifier}\0`);
  const pages = Math.ceil(codeSize / pageSize);
  const length = superBlobSize + directorySize + name.length + pages * hashSize;
  const paddedLength = Math.ceil(length / 16) * 16;
  const signed = Buffer.alloc(codeSize + paddedLength);
  original.copy(signed, 0, 0, codeSize);
  // Before hashing, because the first page contains these commands.
  resizeSignature(signed, { signature, linkedit }, paddedLength);
  const segment = original.subarray(text + 40, text + 56);
  let offset = writeHeaders(signed, { codeSize, length, nameLength: name.length, pages, segment });
  offset += name.copy(signed, offset);
  for (let page = 0; page < codeSize; page += pageSize) {
    const bytes = signed.subarray(page, Math.min(page + pageSize, codeSize));
    offset += createHash('sha256').update(bytes).digest().copy(signed, offset);
  }
  writeFileSync(file, signed);
}

/** Sets the size of the signature, and of the segment that ends with it. */
function resizeSignature(bytes, { signature, linkedit }, length) {
  const segmentSize = BigInt(bytes.length) - bytes.readBigUInt64LE(linkedit + 40);
  bytes.writeUInt32LE(length, signature + 12);
  bytes.writeBigUInt64LE(segmentSize, linkedit + 48);
  // In memory, a segment is a multiple of the largest page size.
  bytes.writeBigUInt64LE(((segmentSize + 0x3fffn) / 0x4000n) * 0x4000n, linkedit + 32);
}

/** Writes the headers of the container and the code directory after the code. Returns the offset of their end. */
function writeHeaders(bytes, { codeSize, length, nameLength, pages, segment }) {
  const hashOffset = directorySize + nameLength;
  const words = [
    ...[superBlobMagic, length, 1, 0, superBlobSize],
    ...[directoryMagic, length - superBlobSize, directoryVersion, signatureFlags, hashOffset, directorySize],
    // No special slots.
    ...[0, pages, codeSize, (hashSize << 24) | (hashType << 16) | pageBits, 0, 0, 0, 0, 0, 0],
  ];
  let offset = codeSize;
  for (const word of words) offset = bytes.writeUInt32BE(word, offset);
  // Offset and size of the segment with the code.
  offset = bytes.writeBigUInt64BE(segment.readBigUInt64LE(0), offset);
  offset = bytes.writeBigUInt64BE(segment.readBigUInt64LE(8), offset);
  return bytes.writeBigUInt64BE(mainBinary, offset);
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
