import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { bareEnv, binary, newUser, node, temporaryDirectory } from '../support/petstore.js';
import { isInstalled } from '../support/programs.js';
import { startServeProcess } from '../support/serve-process.js';

const needed = ['dbus-run-session', 'gnome-keyring-daemon'];
const missing = needed.filter((tool) => !isInstalled(tool));

/** Returns an environment whose runtime directory hides the keyring of the user who runs the tests. */
const envOf = (home: string) => ({ ...bareEnv(home), XDG_RUNTIME_DIR: home });

test.skipIf(missing.length > 0)(
  `a key is stored, used and deleted in a real keyring, and never in a file (needs ${needed.join(' and ')})`,
  async () => {
    const { baseUrl, apiKey } = await startServeProcess();
    const output = await runInSession(
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
      # Restores the entry of the file, to show that logout also deleted the key.
      cp "$HOME/before" "$credentials"
      step auth token
      `,
      { BASE_URL: baseUrl, KEY: apiKey },
    );
    const normalized = output
      .replaceAll(apiKey, 'KEY')
      .replaceAll(apiKey.slice(-4), 'LAST')
      .replaceAll(new URL(baseUrl).host, 'HOST')
      .replace(/resets in [0-9dhms ]+/g, 'resets in …');
    expect(normalized).toMatchInlineSnapshot(`
      "$ auth login -p staging --base-url http://HOST/v1 --with-key --keyring
      ✓ Logged in to staging at http://HOST with API key pets_…LAST
      The API key is saved in the system keyring. The current profile is now staging.
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
        "source": "the saved API key of profile staging",
        "storage": "system keyring",
        "readOnly": false
      }
      exit 0
      $ auth token
      KEY
      exit 0
      0
      $ auth logout
      ✓ Logged out of staging and deleted its API key
      exit 0
      $ auth token
      error: profile staging has no API key
        hint: set PETSTORE_API_KEY, or run petstore auth login --profile staging
      exit 3
      $ auth token
      error: the system keyring has no API key for profile staging
        hint: run petstore auth login --profile staging
      exit 3"
    `);
  },
);

test('auth login --keyring without a keyring sends and stores nothing', async () => {
  const apiKey = 'pets_canary_0123456789';
  const user = newUser();
  // Nothing listens there, so that a request would end with another exit code.
  const login = ['auth', 'login', '-p', 'staging', '--base-url', 'http://127.0.0.1:1/v1', '--with-key'];
  const run = await user.run([...login, '--keyring'], { env: envOf(user.home), input: apiKey });
  expect(run.exitCode).toBe(1);
  expect(run.stdout).toBe('');
  expect(run.stderr).toMatch(
    /^error: cannot use the system keyring: .+\n {2}hint: omit --keyring to save the API key in a private file\n/m,
  );
  expect(run.stderr).not.toContain(apiKey);
  expect(existsSync(join(user.home, '.config/petstore'))).toBe(false);
});

/** Runs a script with a new Secret Service and resolves to its output; `step` runs petstore. */
async function runInSession(script: string, variables: Readonly<Record<string, string>>) {
  const home = temporaryDirectory();
  // The messages of the D-Bus daemon go to stderr at any time.
  const { stdout } = await execa(
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
      env: { ...envOf(home), ...variables, NODE: node, BINARY: binary },
      extendEnv: false,
      reject: false,
    },
  );
  return stdout.slice(stdout.indexOf('$ '));
}
