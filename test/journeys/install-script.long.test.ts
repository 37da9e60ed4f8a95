import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { execa, execaSync } from 'execa';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { buildRelease } from '../support/build-release.js';
import { isInstalled } from '../support/is-installed.js';
import { bareEnv, temporaryDirectory } from '../support/petstore.js';

const script = join(import.meta.dirname, '../../release/install.sh');
const stampedUrl = 'https://downloads.example.com/petstore/v1';
const build = buildRelease({ RELEASE_DOWNLOAD_URL: `${stampedUrl}/` });
const needsBun = 'needs the runtime of Bun from npm';
const installedFiles = 'share/doc/petstore/installed-files';

const isRelease = (name: string) => /^petstore-\d.*\.tar\.gz$/.test(name);
const archive = build.error === '' ? (readdirSync(build.output).find(isRelease) ?? '') : '';

/** Changes what the server returns for a file, by the first part of the path. */
const faults: Readonly<Record<string, (name: string, body: Buffer, response: ServerResponse) => unknown>> = {
  intact: (_, body, response) => response.end(body),
  tampered: (name, body, response) => {
    if (name === archive) body.writeUInt8(body.readUInt8(1_000) ^ 1, 1_000);
    response.end(body);
  },
  truncated: (name, body, response) => {
    if (name !== archive) return response.end(body);
    response.writeHead(200, { 'content-length': body.length });
    return response.write(body.subarray(0, 100_000), () => response.destroy());
  },
  unlisted: (name, body, response) => {
    const lines = body.toString().split('\n');
    response.end(name === 'SHA256SUMS' ? lines.filter((line) => !line.endsWith(archive)).join('\n') : body);
  },
  silent: (name, body, response) => {
    if (name !== archive) return response.end(body);
    response.writeHead(200, { 'content-length': body.length });
    response.write(body.subarray(0, 100_000));
    return waiting?.();
  },
};

let waiting: (() => void) | undefined;

const server = createServer(({ url = '' }, response) => {
  const [, fault = '', name = ''] = url.split('/');
  const path = join(build.output, name);
  if (existsSync(path)) faults[fault]?.(name, readFileSync(path), response);
  else response.writeHead(404).end();
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const urlOf = (fault: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${fault}`;

interface Options {
  readonly shell?: readonly string[];
  readonly path?: string;
  readonly env?: Readonly<Record<string, string>>;
}

async function runScript(home: string, args: readonly string[], { shell = ['sh'], path, env }: Options = {}) {
  const [command = '', ...words] = shell;
  const options = { env: { ...bareEnv(home), ...(path !== undefined && { PATH: path }), ...env }, cwd: home };
  const run = await execa(command, [...words, script, ...args], { ...options, extendEnv: false, reject: false });
  return { stdout: run.stdout, stderr: run.stderr, exitCode: run.exitCode };
}

/** Returns the paths of all files in a folder, hidden ones included. */
function listFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
}

/** Returns a PATH with only these programs, and scripts with this text in place of others. */
function createPath(programs: readonly string[], scripts: Readonly<Record<string, string>> = {}): string {
  const folder = temporaryDirectory();
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  for (const name of programs.filter((each) => !Object.hasOwn(scripts, each))) {
    const found = (process.env.PATH ?? '').split(delimiter).map((each) => join(each, name));
    const target = found.find((path) => existsSync(path));
    if (target !== undefined) symlinkSync(target, join(folder, name));
  }
  return folder;
}

const tools = [
  ...['cat', 'find', 'grep', 'gzip', 'id', 'ldd', 'mkdir', 'mktemp', 'mv', 'rm', 'rmdir', 'sed', 'sh', 'sort'],
  ...['tar', 'uname', 'bash'],
];

test.skipIf(build.isMissing)(`the release is built (${needsBun})`, () => {
  expect(build.error).toBe('');
});

const shells = [
  ['sh'],
  ['bash', '--posix'],
  ['dash'],
  ['busybox', 'sh'],
] as const satisfies readonly (readonly string[])[];

for (const shell of shells) {
  const isMissing = build.isMissing || !isInstalled(shell[0]);
  test.skipIf(isMissing)(`installs and uninstalls petstore with ${shell.join(' ')} (${needsBun})`, async () => {
    const home = temporaryDirectory();
    const prefix = join(home, 'my programs');
    const args = ['--url', urlOf('intact'), '--prefix', prefix];
    const installed = await runScript(home, args, { shell });
    expect(installed).toMatchObject({ stderr: '', exitCode: 0 });
    expect(installed.stdout).toContain(`to ${prefix}/bin/petstore\n${prefix}/bin is not on the PATH.`);
    const options = { env: bareEnv(home), extendEnv: false };
    const listed = await execa(join(prefix, 'bin/petstore'), ['pets', 'list', '--limit', '1', '--quiet'], options);
    expect(listed.stdout).toContain('Ada');
    for (const [file, source] of [
      ['share/man/man1/petstore.1', 'man/man1/petstore.1'],
      ['share/bash-completion/completions/petstore', 'completions/petstore.bash'],
      ['share/zsh/site-functions/_petstore', 'completions/_petstore'],
      ['share/fish/vendor_completions.d/petstore.fish', 'completions/petstore.fish'],
      ['share/doc/petstore/LICENSE', 'LICENSE'],
    ] as const) {
      expect(readFileSync(join(prefix, file))).toEqual(readFileSync(source));
    }
    expect(readFileSync(join(prefix, 'share/doc/petstore/THIRD-PARTY-LICENSES.txt'), 'utf8')).toContain('Bun ');
    expect(readdirSync(prefix).sort()).toEqual(['bin', 'share']);
    const names = readFileSync(join(prefix, installedFiles), 'utf8').trim().split('\n');
    const expected = [...names, installedFiles].map((name) => join(prefix, name));
    expect([...listFiles(prefix)].sort()).toEqual(expected.sort());
    const removed = await runScript(home, ['--uninstall', '--prefix', prefix], { shell });
    expect(removed).toMatchObject({ stderr: '', exitCode: 0 });
    expect(listFiles(prefix)).toEqual([]);
  });
}

test.skipIf(build.isMissing)(`an upgrade replaces all files of the previous version (${needsBun})`, async () => {
  const home = temporaryDirectory();
  const prefix = join(home, 'programs');
  const args = ['--url', urlOf('intact'), '--prefix', prefix];
  const options = { path: `${process.env.PATH}:${prefix}/bin` };
  const { stdout } = await runScript(home, ['--url', urlOf('intact'), '--prefix', `${prefix}/`], options);
  expect(stdout).toContain(` to ${prefix}/bin/petstore\n`);
  expect(stdout).not.toContain('not on the PATH');
  const before = listFiles(prefix);
  const old = 'share/man/man1/petstore-old.1';
  writeFileSync(join(prefix, old), 'old');
  writeFileSync(join(prefix, 'bin/petstore'), 'old');
  writeFileSync(join(prefix, 'bin/other'), 'other');
  writeFileSync(join(prefix, installedFiles), `${readFileSync(join(prefix, installedFiles), 'utf8')}${old}\n`);
  expect(await runScript(home, args)).toMatchObject({ stderr: '', exitCode: 0 });
  expect([...listFiles(prefix)].sort()).toEqual([...before, join(prefix, 'bin/other')].sort());
  expect((await execa(join(prefix, 'bin/petstore'), ['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+$/);
});

test.skipIf(build.isMissing)(
  `installs into ~/.local with wget, apart from data of petstore (${needsBun})`,
  async () => {
    const home = temporaryDirectory();
    const path = createPath([...tools, 'wget', 'sha256sum'], { id: 'echo 1000' });
    const args = ['--url', urlOf('intact')];
    expect(await runScript(home, args, { path, env: { HOME: '' } })).toMatchObject({
      stderr: 'error: HOME is not set\n  hint: pass --prefix <folder>',
      exitCode: 1,
    });
    const installed = await runScript(home, args, { path: `${path}:${home}/.local/bin` });
    expect(installed).toMatchObject({ stderr: '', exitCode: 0 });
    expect(installed.stdout).not.toContain('not on the PATH');
    expect(existsSync(join(home, '.local/bin/petstore'))).toBe(true);
    expect(existsSync(join(home, '.local/share/petstore'))).toBe(false);
    const removed = await runScript(home, ['--uninstall'], { path });
    expect(removed).toMatchObject({ stderr: '', exitCode: 0 });
    expect(listFiles(join(home, '.local'))).toEqual([]);
  },
);

test.skipIf(build.isMissing || !isInstalled('busybox'))(
  `installs petstore with the tools of BusyBox only (needs busybox, ${needsBun})`,
  async () => {
    const home = temporaryDirectory();
    const path = temporaryDirectory();
    await execa('busybox', ['--install', '-s', path]);
    const args = ['--url', urlOf('intact'), '--prefix', join(home, 'programs')];
    expect(await runScript(home, args, { path })).toMatchObject({ stderr: '', exitCode: 0 });
    const removed = await runScript(home, ['--uninstall', '--prefix', join(home, 'programs')], { path });
    expect(removed).toMatchObject({ stderr: '', exitCode: 0 });
    expect(listFiles(join(home, 'programs'))).toEqual([]);
  },
);

test.skipIf(build.isMissing)(`warns if another petstore comes first on the PATH (${needsBun})`, async () => {
  const home = temporaryDirectory();
  const other = createPath([], { petstore: 'true' });
  const prefix = join(home, 'programs');
  const path = [other, join(prefix, 'bin'), process.env.PATH].join(delimiter);
  const { stdout } = await runScript(home, ['--url', urlOf('intact'), '--prefix', prefix], { path });
  expect(stdout).toContain(`Another petstore comes first on the PATH: ${other}/petstore`);
});

test.skipIf(build.isMissing).each([
  ['tampered', `error: the checksum of ${archive} is wrong: nothing was installed`],
  ['truncated', `error: cannot download http://127.0.0.1:`],
  ['unlisted', 'error: SHA256SUMS lists no archive for '],
  ['missing/nowhere', 'error: cannot download http://127.0.0.1:'],
])(`installs nothing if the download is %s (${needsBun})`, async (fault, message) => {
  const home = temporaryDirectory();
  const args = ['--url', urlOf(fault), '--prefix', join(home, 'programs')];
  for (const path of [createPath([...tools, 'curl', 'sha256sum']), createPath([...tools, 'wget', 'shasum', 'perl'])]) {
    const { stderr, exitCode } = await runScript(home, args, { path });
    expect({ stderr, exitCode }).toEqual({ stderr: expect.stringContaining(message), exitCode: 1 });
    expect(listFiles(join(home, 'programs'))).toEqual([]);
  }
});

/** Returns the arguments of unshare(1) that run a command while this folder has hardly any free space. */
const inFullFolder = (folder: string, ...command: readonly string[]) => {
  const commands = 'mount -t tmpfs -o size=64k tmpfs "$0" && "$@"';
  return ['--user', '--map-root-user', '--mount', 'sh', '-c', commands, folder, ...command];
};

const hasNamespaces =
  process.platform === 'linux' &&
  execaSync('unshare', inFullFolder(tmpdir(), 'true'), { reject: false }).exitCode === 0;

test.skipIf(build.isMissing || !hasNamespaces)(`reports a full disk (needs unshare, ${needsBun})`, async () => {
  const home = temporaryDirectory();
  const env = { ...bareEnv(home), PATH: createPath([...tools, 'curl', 'mount', 'sha256sum', 'unshare']) };
  const words = inFullFolder(home, 'sh', script, '--url', urlOf('intact'), '--prefix', home);
  const { stderr, exitCode } = await execa('unshare', words, { env, extendEnv: false, reject: false });
  expect(stderr).toMatch(/^ {2}curl: \(23\) .+\nerror: cannot download .+\n {2}hint: .+ free space in .+$/);
  expect(exitCode).toBe(1);
});

test.skipIf(build.isMissing)(`leaves nothing behind after Ctrl-C (${needsBun})`, async () => {
  const home = temporaryDirectory();
  const prefix = join(home, 'programs');
  const isWaiting = new Promise<void>((resolve) => {
    waiting = resolve;
  });
  const args = [script, '--url', urlOf('silent'), '--prefix', prefix];
  const child: ChildProcess = spawn('sh', args, { env: bareEnv(home), detached: true, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await isWaiting;
  const ended = once(child, 'close');
  // A terminal signals all processes of the group.
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await ended;
  expect(listFiles(prefix)).toEqual([]);
});

test.skipIf(build.isMissing)(`an executable that does not run is not installed (${needsBun})`, async () => {
  const home = temporaryDirectory();
  const prefix = join(home, 'programs');
  // A tar that extracts another program.
  const fake = `command -p tar "$@" && for file in "$4"/*/petstore; do printf '#!/bin/sh\\nexit 1\\n' >"$file"; done`;
  const path = createPath([...tools, 'curl', 'sha256sum'], { tar: fake });
  expect(await runScript(home, ['--url', urlOf('intact'), '--prefix', prefix], { path })).toMatchObject({
    stderr: expect.stringContaining('error: petstore does not run on this machine'),
    exitCode: 1,
  });
  expect(listFiles(prefix)).toEqual([]);
});

test('another petstore in the folder stays', async () => {
  const home = temporaryDirectory();
  mkdirSync(join(home, 'bin'));
  writeFileSync(join(home, 'bin/petstore'), 'other');
  for (const [args, message] of [
    [['--url', 'https://127.0.0.1:9'], `error: ${home}/bin/petstore exists, and this script did not install it`],
    [['--uninstall'], `error: this script did not install petstore in ${home}`],
  ] as const) {
    const { stderr, exitCode } = await runScript(home, [...args, '--prefix', home]);
    expect({ stderr, exitCode }).toEqual({ stderr: expect.stringContaining(message), exitCode: 1 });
  }
  expect(listFiles(home)).toEqual([join(home, 'bin/petstore')]);
});

const local = ['--url', 'https://127.0.0.1:9'];

test.each([
  ['an unknown argument', ['--force'], {}, 'unknown argument: --force', 2],
  ['an option without a value', ['--prefix'], {}, '--prefix needs a value', 2],
  ['an empty folder', ['--prefix', ''], {}, '--prefix needs a value', 2],
  ['no address', [], {}, 'no address to download from', 1],
  ['an address without TLS', ['--url', 'http://example.com'], {}, 'error: the address does not start with https://', 1],
  ['a local name as a prefix', ['--url', 'http://localhost.example.com'], {}, 'does not start with https://', 1],
  ['a file in place of the folder', [...local, '--prefix', '/dev/null'], {}, 'cannot write to /dev/null', 1],
  ['another system', local, { uname: 'echo FreeBSD' }, 'this script does not support FreeBSD', 1],
  [
    'another processor',
    local,
    { uname: 'if [ "$1" = -s ]; then echo Linux; else echo riscv64; fi' },
    'no executable of petstore supports the processor riscv64',
    1,
  ],
] as const)('rejects %s', async (_, args, scripts, message, exitCode) => {
  const home = temporaryDirectory();
  const path = createPath([...tools, 'curl', 'sha256sum'], scripts);
  const run = await runScript(home, args, { path });
  expect(run).toMatchObject({ stdout: '', exitCode, stderr: expect.stringContaining(message) });
  expect(run.stderr).toMatch(/^error: .*\n {2}hint: .*$/);
  expect(listFiles(home)).toEqual([]);
});

test.each([
  ['neither curl nor wget is installed', ['sha256sum']],
  ['neither sha256sum nor shasum is installed', ['curl']],
])('reports that %s', async (message, programs) => {
  const home = temporaryDirectory();
  const path = createPath([...tools, ...programs]);
  const { stderr, exitCode } = await runScript(home, [...local, '--prefix', home], { path });
  expect({ stderr, exitCode }).toEqual({ stderr: expect.stringContaining(`error: ${message}`), exitCode: 1 });
});

test.skipIf(build.isMissing).each([
  ['Linux', 'x86_64', 'musl libc (x86_64)', 'linux-x64-musl'],
  ['Linux', 'aarch64', 'ldd (GNU libc) 2.36', 'linux-arm64'],
  ['Darwin', 'arm64', '', 'macos-arm64'],
  ['Darwin', 'x86_64', '', 'macos-x64'],
])(`looks for the archive of %s on %s (${needsBun})`, async (system, machine, libc, platform) => {
  const home = temporaryDirectory();
  const scripts = {
    uname: `if [ "$1" = -s ]; then echo ${system}; else echo ${machine}; fi`,
    ldd: `echo '${libc}' >&2; exit 1`,
    sysctl: 'exit 1',
  };
  const path = createPath([...tools, 'curl', 'sha256sum'], scripts);
  const { stderr } = await runScript(home, ['--url', urlOf('intact'), '--prefix', join(home, 'programs')], { path });
  expect(stderr).toContain(`SHA256SUMS lists no archive for ${platform}\n`);
});

test.skipIf(build.isMissing)(`the script of a release names its address (${needsBun})`, () => {
  expect(readFileSync(join(build.output, 'install.sh'), 'utf8')).toContain(`\nrelease_url='${stampedUrl}'\n`);
  expect(readFileSync(script, 'utf8')).toContain("\nrelease_url=''\n");
});

test.skipIf(!isInstalled('shellcheck'))('shellcheck finds nothing in the script (needs shellcheck)', async () => {
  expect((await execa('shellcheck', ['--shell', 'sh', script], { reject: false })).stdout).toBe('');
});
