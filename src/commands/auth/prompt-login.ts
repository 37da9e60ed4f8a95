import type { AppContext } from '../../app/context.js';
import { checkProfileName } from '../../config/profile.js';
import type { Secret } from '../../config/secret.js';
import { getSetting, sandboxProfileName } from '../../config/settings.js';
import { catchFailure, type Failure, usageError } from '../../failure.js';
import { formatProblem } from '../../format/hint.js';
import { suggestSimilar } from '../../format/suggest.js';
import { askInOrder, type PromptStep } from '../../terminal/ask-in-order.js';
import { missingInputError } from '../../terminal/prompter.js';
import { type Login, type LoginTarget, verifyLogin } from './verify-login.js';

/** How many API keys are tried before a rejected one ends the command. */
const maxAttempts = 3;

/** Prompts for the profile, the base URL and the API key, until the service accepts the API key. */
export async function promptForLogin(context: AppContext): Promise<Login> {
  const answers = openAnswers(context);
  let login: Login | undefined;
  const ask = async () => {
    const target = await confirmTarget(context, answers);
    for (let left = maxAttempts - 1; ; left -= 1) {
      login = { ...target, key: await promptForKey(context, target) };
      const failure = await verifyLogin(context, login);
      if (!failure) return;
      if (failure.kind !== 'auth' || left === 0) throw failure;
      context.terminal.fail(failure.message);
      context.terminal.errorLine(`Enter the API key again (${left === 1 ? 'last attempt' : `${left} attempts left`}).`);
    }
  };
  await askInOrder([...targetSteps(context, answers), { ask }]);
  return login as Login;
}

/** Returns the profile and base URL from flags, variables or prompts. */
export async function promptForTarget(context: AppContext): Promise<LoginTarget> {
  const answers = openAnswers(context);
  await askInOrder(targetSteps(context, answers));
  return confirmTarget(context, answers);
}

/** Asks before the login replaces the base URL of a profile with another. */
async function confirmTarget(context: AppContext, { name = '', url = '' }: Answers): Promise<LoginTarget> {
  const saved = getSavedUrl(context, name);
  const address = context.settings.baseUrl ?? saved ?? url;
  if (saved !== undefined && saved !== address) {
    await context.terminal.prompts.confirm({
      message: `Replace the base URL ${saved} of ${name} with ${address}?`,
      problem: `profile ${name} has another base URL: ${saved}`,
      hint: 'pass --yes to replace it, or another --profile',
    });
  }
  return { name, address, baseUrl: context.config.parseBaseUrl(address) };
}

/** Returns the base URL of a profile that has one. */
export function getSavedUrl({ config }: AppContext, name: string): string | undefined {
  return config.profiles.list().find((profile) => profile.name === name)?.baseUrl;
}

interface Answers {
  /** Missing for a new profile until it has a name. */
  name?: string | undefined;
  isNew?: boolean;
  /** The base URL that was typed. */
  url?: string;
}

/** Returns the answers that need no prompt. Throws a usage error if they cannot be used. */
function openAnswers({ settings, terminal, config }: AppContext): Answers {
  const { origin } = getSetting(settings, 'profile');
  const isGiven = origin === 'flag' || origin === 'environment';
  const { isInteractive, disableReason } = terminal.prompts;
  const isSandbox = settings.profile === sandboxProfileName;
  if (!isGiven && disableReason !== undefined && isSandbox) throw missingInputError(missingProfile, disableReason);
  // Throws if it is invalid, before the first question.
  if (settings.baseUrl !== undefined) config.parseBaseUrl(settings.baseUrl);
  if (!isGiven && isInteractive) return {};
  if (isSandbox) {
    throw usageError(
      'embedded_profile',
      'cannot log in to the sandbox, which creates its own API key',
      'pass --profile staging or --profile production',
    );
  }
  const names = config.profiles.list().map(({ name }) => name);
  // Only a prompt can ask for the base URL of a new profile.
  if (!isInteractive && settings.baseUrl === undefined && !names.includes(settings.profile)) {
    throw unknownProfile(settings.profile, names);
  }
  return { name: settings.profile };
}

function unknownProfile(name: string, names: readonly string[]): Failure {
  const suggestion = suggestSimilar(name, names);
  const hint = `pass --base-url <url> to create the profile${suggestion ? `; ${suggestion}` : ''}`;
  return usageError('unknown_profile', `unknown profile "${name}"`, hint);
}

function targetSteps(context: AppContext, answers: Answers): readonly PromptStep[] {
  const { settings, config } = context;
  const { prompts } = context.terminal;
  const canChoose = answers.name === undefined;
  return [
    {
      isNeeded: () => canChoose,
      ask: async () => {
        const names = config.profiles.list().map(({ name }) => name);
        const remote = names.filter((name) => name !== sandboxProfileName);
        const selected = await prompts.select({
          message: 'Log in to which profile?',
          missingInput: missingProfile,
          choices: [...remote.map((name) => ({ name, value: name })), { name: 'a new profile', value: newProfile }],
          default: answers.isNew ? newProfile : (answers.name ?? remote.find((name) => name === settings.profile)),
        });
        answers.isNew = selected === newProfile;
        answers.name = answers.isNew ? undefined : selected;
      },
    },
    {
      isNeeded: () => answers.isNew === true,
      ask: async () => {
        const name = await prompts.input({
          message: 'Name of the new profile:',
          missingInput: missingProfile,
          validate: (text) => findProblem(() => checkNewProfileName(context, text.trim())),
          default: answers.name,
        });
        answers.name = name.trim();
      },
    },
    {
      isNeeded: () => (settings.baseUrl ?? getSavedUrl(context, answers.name ?? '')) === undefined,
      ask: async () => {
        const url = await prompts.input({
          message: `Base URL of ${answers.name}, such as https://api.example.com/v1:`,
          missingInput: {
            message: `profile ${answers.name} has no base URL`,
            missing: [{ syntax: '--base-url <url>' }],
          },
          validate: (text) => findProblem(() => config.parseBaseUrl(text.trim())),
          default: answers.url,
        });
        answers.url = url.trim();
      },
    },
  ];
}

const missingProfile = { message: 'the profile is missing', missing: [{ syntax: '--profile <name>' }] };

/** Not the name of a profile. */
const newProfile = '';

async function promptForKey(
  { terminal: { prompts }, config: { parseApiKey } }: AppContext,
  { name, baseUrl }: LoginTarget,
): Promise<Secret> {
  const input = await prompts.password({
    message: `API key of ${name} for ${baseUrl.origin}:`,
    missingInput: {
      message: 'the API key is missing',
      missing: [{ syntax: '--with-key' }],
      hint: 'pass --with-key and pipe the API key to standard input',
    },
    validate: (text) => findProblem(() => parseApiKey(text, 'the input')),
  });
  return parseApiKey(input, 'the input');
}

/** Returns the message and the hint of the failure that `parse` throws, if any. */
function findProblem(parse: () => unknown): string | undefined {
  let problem: string | undefined;
  catchFailure(parse, (failure) => {
    problem = formatProblem(failure);
  });
  return problem;
}

/** Throws a usage failure if a profile cannot be created with this name. */
function checkNewProfileName({ config: { profiles } }: AppContext, name: string): void {
  checkProfileName(name);
  if (!profiles.list().some((profile) => profile.name === name)) return;
  throw usageError('invalid_argument', `the profile ${name} exists already`, 'choose another name');
}
