import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from './support/petstore.js';

const { signMacho } = await import(join(import.meta.dirname, '../standalone/sign-macho.js'));

/** Ends within a page. */
const codeSize = 10_000;

/** Returns a program with two segments and a signature of 16 bytes that signs nothing. */
function createProgram(): Buffer {
  const bytes = Buffer.alloc(codeSize + 16, 7);
  bytes.fill(0, 0, 4_096);
  bytes.writeUInt32LE(0xfeedfacf, 0);
  bytes.writeUInt32LE(3, 16);
  const writeSegment = (offset: number, name: string, start: number, size: number) => {
    bytes.writeUInt32LE(0x19, offset);
    bytes.writeUInt32LE(72, offset + 4);
    bytes.write(name, offset + 8, 'latin1');
    bytes.writeBigUInt64LE(0x4000n, offset + 32);
    bytes.writeBigUInt64LE(BigInt(start), offset + 40);
    bytes.writeBigUInt64LE(BigInt(size), offset + 48);
  };
  writeSegment(32, '__TEXT', 0, 8_192);
  writeSegment(104, '__LINKEDIT', 8_192, codeSize + 16 - 8_192);
  [0x1d, 16, codeSize, 16].forEach((word, index) => {
    bytes.writeUInt32LE(word, 176 + index * 4);
  });
  return bytes;
}

function sign(program: Buffer): Buffer {
  const file = join(temporaryDirectory(), 'program');
  writeFileSync(file, program);
  signMacho(file, 'example');
  return readFileSync(file);
}

test('the signature has the hash of each page', () => {
  const signed = sign(createProgram());
  const signature = signed.subarray(codeSize);
  expect(signature.readUInt32BE(0)).toBe(0xfade0cc0);
  const directory = signature.subarray(20, signature.readUInt32BE(4));
  expect(directory.readUInt32BE(0)).toBe(0xfade0c02);
  expect(directory.readUInt32BE(4)).toBe(directory.length);
  expect(directory.toString('latin1', directory.readUInt32BE(20)).split('\0')[0]).toBe('example');
  expect(directory.readUInt32BE(32)).toBe(codeSize);
  const pages = [signed.subarray(0, 4_096), signed.subarray(4_096, 8_192), signed.subarray(8_192, codeSize)];
  const hashes = pages.map((page) => createHash('sha256').update(page).digest('hex'));
  expect(directory.toString('hex', directory.readUInt32BE(16))).toBe(hashes.join(''));
});

test('the load commands describe the new signature', () => {
  const program = createProgram();
  const signed = sign(program);
  expect([signed.readUInt32LE(184), signed.readUInt32LE(188)]).toEqual([codeSize, signed.length - codeSize]);
  expect(signed.readBigUInt64LE(104 + 48)).toBe(BigInt(signed.length - 8_192));
  expect(signed.subarray(4_096, codeSize)).toEqual(program.subarray(4_096, codeSize));
  expect(sign(signed)).toEqual(signed);
});

test.each([
  ['the file is not a 64-bit Mach-O file', Buffer.alloc(64)],
  ['the file has no signature to replace', createProgram().fill(0, 176, 192)],
])('%s, so it is rejected', (message, program) => {
  expect(() => sign(program)).toThrow(message);
});
