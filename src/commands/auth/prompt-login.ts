import type { AppContext } from '../../app/context.js';
import type { BaseUrl } from '../../config/base-url.js';
import { checkNewProfileName } from '../../config/new-profile.js';
import { sandboxProfileName } from '../../config/profile.js';
import type { Secret } from '../../config/secret.js';
import { getSettingOrigin } from '../../config/settings.js';
import { catchFailure, checkBaseUrlHint, Failure, usageError } from '../../failure.js';
import { askInOrder, type PromptStep } from '../../terminal/ask-in-order.js';
import { verifyKey } from './status.js';

interface LoginTarget {
  /** The name of the profile. */
  readonly name: string;
  /** The base URL as given. */
  readonly address: string;
  readonly baseUrl: BaseUrl;
}

export interface Login extends LoginTarget {
  readonly key: Secret;
}

/** How often an API key is asked for before a rejection ends the command. */
const maxAttempts = 3;

/** Prompts for the profile, the base URL and the API key, until the service accepts the API key. */
export async function promptForLogin(context: AppContext): Promise<Login> {
  const answers = openAnswers(context);
  let key: Secret | undefined;
  let attempts = 0;
  await askInOrder([
    ...targetSteps(context, answers),
    {
      ask: async ({ canGoBack }) => {
        let target = toTarget(context, answers);
        for (;;) {
          key = await promptForKey(context, target, canGoBack);
          attempts += 1;
          const failure = await verifyLogin(context, { ...target, key });
          if (!failure) return;
          const left = maxAttempts - attempts;
          if (failure.kind !== 'auth' || left === 0) throw failure;
          // The warnings were printed with the first request.
          target = { ...target, baseUrl: { ...target.baseUrl, warnings: [] } };
          context.terminal.errorLine(`✗ ${failure.message}`);
          context.terminal.errorLine(
            `Enter the API key again (${left === 1 ? 'last attempt' : `${left} attempts left`}).`,
          );
        }
      },
    },
  ]);
  return { ...toTarget(context, answers), key: key as Secret };
}

/** Returns the profile and base URL from flags, variables or prompts. */
export async function promptForTarget(context: AppContext): Promise<LoginTarget> {
  const answers = openAnswers(context);
  await askInOrder(targetSteps(context, answers));
  return toTarget(context, answers);
}

/** Sends one request with the API key. Returns the failure if the login must not be saved. */
export async function verifyLogin(
  { connections }: AppContext,
  { name, baseUrl, key }: Login,
): Promise<Failure | undefined> {
  const failure = await verifyKey(() => connections.clientAt(baseUrl, key, name));
  if (failure?.kind === 'auth') {
    const message = `the service rejected the API key, and nothing was saved: ${failure.message}`;
    const hint = 'check the API key and the base URL, then run the command again';
    return new Failure('auth', { ...failure.details, message, hint });
  }
  if (!failure) return undefined;
  const hint = failure.kind === 'not-found' ? checkBaseUrlHint : failure.details.hint;
  return new Failure(failure.kind, { ...failure.details, message: `${failure.message}; nothing was saved`, hint });
}

export function getSavedUrl({ config }: AppContext, name: string): string | undefined {
  return config.profiles.list().find((profile) => profile.name === name)?.baseUrl;
}

interface Answers {
  /** Missing for a new profile until it has a name. */
  name: string | undefined;
  isNew: boolean;
  /** The base URL that was typed. */
  typedUrl: string | undefined;
  /** Returns the base URL that is known without a prompt. */
  readonly findUrl: () => string | undefined;
}

/** Returns the answers that need no prompt. Throws a usage error if they select the sandbox. */
function openAnswers(context: AppContext): Answers {
  const { settings, terminal } = context;
  const origin = getSettingOrigin(settings, 'profile');
  const isGiven = origin === 'flag' || origin === 'environment';
  const canChoose = !isGiven && terminal.prompts.isInteractive;
  if (!canChoose && settings.profile === sandboxProfileName) {
    throw usageError(
      'embedded_profile',
      'cannot log in to the sandbox, which creates its own API key',
      'pass --profile staging or --profile production',
    );
  }
  const answers: Answers = {
    name: canChoose ? undefined : settings.profile,
    isNew: false,
    typedUrl: undefined,
    findUrl: () => settings.baseUrl ?? (answers.name === undefined ? undefined : getSavedUrl(context, answers.name)),
  };
  return answers;
}

function toTarget({ config }: AppContext, { name = '', typedUrl, findUrl }: Answers): LoginTarget {
  const address = findUrl() ?? typedUrl ?? '';
  return { name, address, baseUrl: config.parseBaseUrl(address) };
}

function targetSteps({ settings, terminal: { prompts }, config }: AppContext, answers: Answers): readonly PromptStep[] {
  const canChoose = answers.name === undefined;
  return [
    {
      isNeeded: () => canChoose,
      ask: async ({ canGoBack }) => {
        const remote = config.profiles.list().filter(({ name }) => name !== sandboxProfileName);
        const current = answers.isNew ? newProfile : (answers.name ?? settings.profile);
        const selected = await prompts.select({
          message: 'Log in to which profile?',
          missingInput: ['the profile is missing', 'pass --profile <name>'],
          choices: [...remote.map(({ name }) => ({ name, value: name })), { name: 'a new profile', value: newProfile }],
          default: current === sandboxProfileName ? undefined : current,
          canGoBack,
        });
        const isNew = selected === newProfile;
        if (!isNew || !answers.isNew) answers.name = isNew ? undefined : selected;
        answers.isNew = isNew;
      },
    },
    {
      isNeeded: () => answers.isNew,
      ask: async ({ canGoBack }) => {
        answers.name = await prompts.input({
          message: 'Name of the new profile:',
          missingInput: ['the profile is missing', 'pass --profile <name>'],
          validate: (text) => findProblem(() => checkNewProfileName(config.profiles, text)),
          default: answers.name,
          canGoBack,
        });
      },
    },
    {
      isNeeded: () => answers.findUrl() === undefined,
      ask: async ({ canGoBack }) => {
        answers.typedUrl = await prompts.input({
          message: `Base URL of ${answers.name}, such as https://api.example.com/v1:`,
          missingInput: [`profile ${answers.name} has no base URL`, `pass --base-url <url>`],
          validate: (text) => findProblem(() => config.parseBaseUrl(text)),
          default: answers.typedUrl,
          canGoBack,
        });
      },
    },
  ];
}

/** Not the name of a profile. */
const newProfile = '';

async function promptForKey(
  { terminal: { prompts }, config: { parseApiKey } }: AppContext,
  { name, baseUrl }: LoginTarget,
  canGoBack: boolean,
): Promise<Secret> {
  const input = await prompts.password({
    message: `API key of ${name} for ${baseUrl.origin}:`,
    missingInput: ['the API key is missing', 'pass --with-key and pipe the API key to standard input'],
    validate: (text) => findProblem(() => parseApiKey(text, 'the input')),
    canGoBack,
  });
  return parseApiKey(input, 'the input');
}

/** Returns the message and the hint of the failure that `parse` throws, if any. */
function findProblem(parse: () => unknown): string | undefined {
  let problem: string | undefined;
  catchFailure(parse, ({ details: { message, hint } }) => {
    problem = hint === undefined ? message : `${message}; ${hint}`;
  });
  return problem;
}
