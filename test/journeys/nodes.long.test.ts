import { execa } from 'execa';
import { expect, test } from 'vitest';
import { installNode, nodePackage } from '../support/install-node.js';
import { bareEnv, temporaryDirectory } from '../support/petstore.js';

/** The oldest version that `engines` allows, and the newest of each maintained line. */
for (const version of ['20.19.0', '22', '24', '26']) {
  const node = installNode(version);
  test.skipIf(node === undefined)(
    `every journey passes on Node.js ${version} (needs ${nodePackage(version)} from npm)`,
    async () => {
      const { exitCode, all } = await execa('vitest', ['run', 'test/journeys'], {
        env: { ...bareEnv(temporaryDirectory()), PETSTORE_TEST_NODE: node ?? '' },
        extendEnv: false,
        preferLocal: true,
        reject: false,
        all: true,
      });
      expect(exitCode, all).toBe(0);
    },
    300_000,
  );
}
