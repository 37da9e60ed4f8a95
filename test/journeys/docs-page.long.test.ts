import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { operations } from '../../src/api/operations.js';
import { type BrowserPage, openChromium } from '../support/chromium.js';
import { isInstalled } from '../support/programs.js';
import { startServeProcess } from '../support/serve-process.js';

const chromium = isInstalled('chromium');
/** Where `npm run screenshot` saves the picture for the docs. */
const screenshot = process.env.SCREENSHOT;

test.skipIf(!chromium)('the API reference page sends requests with a pasted API key (needs chromium)', async () => {
  const { baseUrl, apiKey } = await startServeProcess(...(screenshot ? ['--port', '4010'] : []));
  const page = await openChromium({ width: 900, height: 1400 });
  await page.open(new URL('/', baseUrl).href);
  await page.waitFor(`document.querySelectorAll('.opblock').length > 0`);
  expect(await page.evaluate(`location.pathname`)).toBe('/docs');
  expect(
    await page.evaluate(`[...document.querySelectorAll('.opblock')].map(({ id }) => id.split('-').at(-1))`),
  ).toEqual(operations.map(({ id }) => id));

  await authorize(page, apiKey);
  await page.click('#operations-pets-listPets .opblock-summary-control');
  await page.type('#operations-pets-listPets [data-param-name="limit"] input', '1');
  const listed = await execute(page, 'listPets');
  expect(listed).toContain(`${baseUrl}/pets?limit=1\n`);
  expect(listed).toContain('"name": "Ada"');
  expect(listed).toMatch(/x-ratelimit-limit: 60\s+x-ratelimit-remaining: 59\s+x-ratelimit-reset: \d+/);
  if (screenshot) {
    await page.evaluate(`document.querySelector('#operations-pets-listPets .parameters-container').scrollIntoView()`);
    writeFileSync(screenshot, await page.takeScreenshot());
  }

  // Ids beyond 2^53 are exact in both directions.
  await openNewPet(page, '{"name": "Rex", "categoryId": 9007199254740993}');
  const added = await execute(page, 'createPet');
  expect(added).toContain('"categoryId": 9007199254740993');
  expect(added).toContain('x-ratelimit-remaining: 58');
  expect(added).not.toContain('idempotency-replayed');
  await page.click('#operations-pets-getPet .opblock-summary-control');
  await page.type('#operations-pets-getPet input', '9007199254740993');
  expect(await execute(page, 'getPet')).toContain(`${baseUrl}/pets/9007199254740993\n`);

  const text = await page.evaluate(`document.documentElement.outerHTML`);
  expect(text).not.toContain(apiKey);
  expect(page.requests.filter((url) => !url.startsWith(`${new URL(baseUrl).origin}/`))).toEqual([]);
  // The pet does not exist.
  const expected = /"status":404|404 \(Not Found\)/;
  expect(page.problems.filter((problem) => !expected.test(problem))).toEqual([]);
});

async function authorize(page: BrowserPage, apiKey: string): Promise<void> {
  await page.click('.scheme-container .authorize');
  await page.type('.auth-container input', apiKey);
  await page.click('.auth-btn-wrapper .authorize');
  await page.click('.auth-btn-wrapper .btn-done');
}

async function openNewPet(page: BrowserPage, body: string): Promise<void> {
  await page.click('#operations-pets-createPet .opblock-summary-control');
  // The page fills in the example a moment after it shows the operation, and sends nothing before.
  const text = `document.querySelector('#operations-pets-createPet textarea')?.value`;
  await page.waitFor(`${text}?.includes('"name": "Rex"')`);
  await page.type('#operations-pets-createPet textarea', body);
  await page.waitFor(`${text} === ${JSON.stringify(body)}`);
}

/** Sends the request of an operation and resolves to the request and response that the page shows. */
async function execute(page: BrowserPage, operationId: string): Promise<string> {
  const block = `#operations-pets-${operationId}`;
  await page.click(`${block} .execute`);
  await page.waitFor(`document.querySelector('${block} .live-responses-table')`);
  return page.evaluate(
    `[...document.querySelectorAll('${block} :is(.request-url, .live-responses-table)')].map((one) => one.innerText).join('\\n')`,
  );
}
