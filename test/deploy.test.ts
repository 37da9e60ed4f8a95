import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { findBlocks } from './support/docs.js';
import { temporaryDirectory } from './support/petstore.js';
import { isInstalled } from './support/programs.js';

const settings = findBlocks(readFileSync('docs/deploy.md', 'utf8'), 'ini').map((lines) => lines.join('\n'));

/** Targets that the unit needs, which are part of systemd. */
const targets = ['sysinit', 'basic', 'shutdown', 'network-online'];

describe.skipIf(!isInstalled('systemd-analyze'))('docs/deploy/petstore.service (needs systemd-analyze)', () => {
  test.each(['', ...settings])('is valid with the settings %j', async (text) => {
    const root = temporaryDirectory();
    const units = join(root, 'etc/systemd/system');
    const bin = join(root, 'usr/bin');
    for (const folder of [join(units, 'petstore.service.d'), bin]) mkdirSync(folder, { recursive: true });
    for (const name of ['petstore', 'sh']) writeFileSync(join(bin, name), '#!/bin/sh\n', { mode: 0o755 });
    for (const name of targets) writeFileSync(join(units, `${name}.target`), '[Unit]\n');
    copyFileSync('docs/deploy/petstore.service', join(units, 'petstore.service'));
    writeFileSync(join(units, 'petstore.service.d/override.conf'), text);
    const args = ['verify', '--man=no', '--generators=no', `--root=${root}`, 'petstore.service'];
    const { exitCode, all } = await execa('systemd-analyze', args, { all: true, reject: false });
    expect({ exitCode, messages: all }).toEqual({ exitCode: 0, messages: '' });
  });

  test('has an exposure level of at most 1.0', async () => {
    const args = ['security', '--offline=yes', '--threshold=10', 'docs/deploy/petstore.service'];
    expect(await execa('systemd-analyze', args, { reject: false })).toMatchObject({ exitCode: 0 });
  });
});
