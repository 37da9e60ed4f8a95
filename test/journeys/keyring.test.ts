import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { bareEnv, binary, newUser, node, temporaryDirectory } from '../support/petstore.js';
import { has } from '../support/programs.js';
import { startServe } from '../support/served.js';

const needed = ['dbus-run-session', 'gnome-keyring-daemon'];
const missing = needed.filter((tool) => !has(tool));

/** Without a runtime directory of its own, a test would find the keyring of whoever runs it. */
const env = (home: string) => ({ ...bareEnv(home), XDG_RUNTIME_DIR: home });

test.skipIf(missing.length > 0)(
  `a key in a real keyring (needs ${needed.join(' and ')}) is used, told of, printed and forgotten, and never in a file`,
  async () => {
    const { baseUrl, apiKey } = await startServe();
    const output = await inSession(
      `
      credentials=$HOME/.config/petstore/credentials.json
      step auth login -p staging --base-url "$BASE_URL" --with-key --keyring <<< "$KEY"
      step pets list --limit 1 --quiet
      step auth status --json
      step auth token
      grep -c "$KEY" "$credentials"
      cp "$credentials" "$HOME/before"
      step auth logout
      step auth token
      # The note alone, as before the logout: the key itself is gone too.
      cp "$HOME/before" "$credentials"
      step auth token
      `,
      { BASE_URL: baseUrl, KEY: apiKey },
    );
    const shown = output
      .replaceAll(apiKey, 'KEY')
      .replaceAll(apiKey.slice(-4), 'LAST')
      .replaceAll(new URL(baseUrl).host, 'HOST')
      .replace(/resets in [0-9dhms ]+/g, 'resets in …');
    expect(shown).toMatchInlineSnapshot(`
      "$ auth login -p staging --base-url http://HOST/v1 --with-key --keyring
      logged in: profile staging is now current; its key pets_…LAST for http://HOST is in the system keyring
      staging · 59 of 60 requests left · resets in …
      exit 0
      $ pets list --limit 1 --quiet
      id  name  categoryId  status
      1   Ada   1           available
      exit 0
      $ auth status --json
      {
        "profile": "staging",
        "baseUrl": "http://HOST/v1",
        "key": "pets_…LAST",
        "source": "the stored key of profile staging",
        "storage": "system keyring"
      }
      exit 0
      $ auth token
      KEY
      exit 0
      0
      $ auth logout
      the key of profile staging is forgotten
      exit 0
      $ auth token
      error: there is no API key for profile staging
        hint: set PETSTORE_API_KEY, or store a key: petstore auth login --profile staging
      exit 3
      $ auth token
      error: the system keyring no longer holds the key of profile staging
        hint: petstore auth login --profile staging
      exit 3"
    `);
  },
);

test('without a keyring a login that asks for one says so and stores nothing', async () => {
  const { baseUrl, apiKey } = await startServe();
  const user = newUser();
  const login = ['auth', 'login', '-p', 'staging', '--base-url', baseUrl, '--with-key'];
  const run = await user.run([...login, '--keyring'], { env: env(user.home), input: apiKey });
  expect(run.exitCode).toBe(1);
  expect(run.stdout).toBe('');
  expect(run.stderr).toMatch(
    /^error: the system keyring cannot be used: .+\n {2}hint: without --keyring the key is kept in a file that only you can read\n/m,
  );
  expect(run.stderr).not.toContain(apiKey);
  expect(existsSync(join(user.home, '.config/petstore'))).toBe(false);
});

/** What a script writes that runs beside a Secret Service of its own; `step` runs petstore. */
async function inSession(script: string, variables: Readonly<Record<string, string>>) {
  const home = temporaryDirectory();
  const { all } = await execa(
    'dbus-run-session',
    [
      '--',
      'bash',
      '-c',
      `printf '\\n' | gnome-keyring-daemon --unlock --components=secrets > /dev/null
      step() { echo "$ $*"; "$NODE" "$BINARY" "$@"; echo "exit $?"; }
      exec 2>&1
      ${script}`,
    ],
    {
      env: { ...env(home), ...variables, NODE: node, BINARY: binary },
      extendEnv: false,
      reject: false,
      all: true,
    },
  );
  return all.slice(all.indexOf('$ '));
}
