import { execa, execaSync } from 'execa';
import { expect, test } from 'vitest';
import { bareEnv, binary, node, temporaryDirectory } from '../support/petstore.js';

/** Addresses of one /64, and one of another. */
const addresses = ['2001:db8:1::1', '2001:db8:1::2', '2001:db8:2::1'];
const [serverAddress = ''] = addresses;

/** Commands that give these addresses to the loopback interface of a new network namespace. */
const setUp = [
  'set -e',
  'ip link set lo up',
  ...addresses.map((address) => `ip -6 address add ${address}/64 dev lo nodad`),
];
const inNamespace = (script: readonly string[], ...words: readonly string[]) =>
  ['--user', '--map-root-user', '--net', 'bash', '-c', [...setUp, ...script].join('\n'), 'bash', ...words] as const;

const hasNamespaces =
  process.platform === 'linux' &&
  execaSync('unshare', inNamespace(['curl --version']), { reject: false }).exitCode === 0;

test.skipIf(!hasNamespaces)(
  'addresses of one IPv6 /64 share their quota and their connections (needs unshare, ip and curl)',
  async () => {
    const script = [
      `coproc "$@" serve --host ${serverAddress} --port 4010 --database :memory: --json --quiet`,
      'trap "kill -KILL $COPROC_PID" EXIT',
      // The whole record.
      `while read -r line <&"\${COPROC[0]}" && test "$line" != "}"; do :; done`,
      'count() { curl --silent --dump-header - --output /dev/null --interface "$1" "$url" | grep -i -o "remaining: [0-9]*"; }',
      'status() { curl --silent --output /dev/null --write-out "%{http_code}\\n" --interface "$1" "$url"; }',
      `url=http://[${serverAddress}]:4010/v1/pets`,
      ...addresses.map((address) => `count ${address}`),
      // The maximum for one client. More are rejected, unless the server has yet to notice that curl closed one.
      `for _ in {1..70}; do exec {held}<> /dev/tcp/${serverAddress}/4010; done`,
      ...addresses.map((address) => `status ${address}`),
    ];
    const env = bareEnv(temporaryDirectory());
    const options = { env, extendEnv: false, reject: false, timeout: 60_000 } as const;
    const { stdout, stderr } = await execa('unshare', inNamespace(script, node, binary), options);
    expect({ stderr, lines: stdout.split('\n') }).toEqual({
      stderr: '',
      lines: ['remaining: 59', 'remaining: 58', 'remaining: 59', '503', '503', '401'].map((line) =>
        expect.stringMatching(new RegExp(`^${line}$`, 'i')),
      ),
    });
  },
);
