import { execa } from 'execa';
import { expect, test } from 'vitest';
import { bareEnv, temporaryDirectory } from '../support/petstore.js';
import { installNode, nodePackage } from '../support/programs.js';

const version = '24';
const node = installNode(version);

// The workflow of CI runs everything on each maintained version.
test.skipIf(node === undefined)(
  `every journey passes on Node.js ${version} (needs ${nodePackage(version)} from npm)`,
  async () => {
    const { exitCode, all } = await execa('vitest', ['run', 'test/journeys', '--maxWorkers=2'], {
      env: { ...bareEnv(temporaryDirectory()), PETSTORE_TEST_NODE: node ?? '' },
      extendEnv: false,
      preferLocal: true,
      reject: false,
      all: true,
    });
    expect(exitCode, all).toBe(0);
  },
  600_000,
);
