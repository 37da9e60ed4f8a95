import type { AppContext } from '../../app/context.js';
import type { BaseUrl } from '../../config/base-url.js';
import { checkProfileName, type Profiles, sandboxProfileName } from '../../config/profile.js';
import type { Secret } from '../../config/secret.js';
import { getSetting } from '../../config/settings.js';
import { canceledError, catchFailure, checkBaseUrlHint, Failure, usageError } from '../../failure.js';
import { formatProblem } from '../../format/hint.js';
import { askInOrder, PromptEscape, type PromptStep } from '../../terminal/ask-in-order.js';
import { missingInputError } from '../../terminal/prompter.js';
import { verifyKey } from './status.js';
import { unknownProfile } from './unknown-profile.js';

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

/** How many API keys, and how many base URLs, are tried before a failure ends the command. */
const maxAttempts = 3;

/** Prompts for the profile, the base URL and the API key, until the service accepts the API key. */
export async function promptForLogin(context: AppContext): Promise<Login> {
  const answers = openAnswers(context);
  let login: Login | undefined;
  const failures = { 'base URL': 0, 'API key': 0 };
  await askInOrder([
    ...targetSteps(context, answers),
    {
      ask: async () => {
        let target = toTarget(context, answers);
        await confirmReplacement(context, target);
        for (;;) {
          // An API key is never sent to another origin than the one it was typed for.
          const isSameOrigin = login?.name === target.name && login.baseUrl.origin === target.baseUrl.origin;
          const key = login && isSameOrigin ? login.key : await promptForKey(context, target);
          login = { ...target, key };
          const failure = await verifyLogin(context, login);
          if (!failure) return;
          const canRetypeUrl =
            (failure.kind === 'network' || failure.kind === 'not-found') && answers.findUrl() === undefined;
          if (!(failure.kind === 'auth' || canRetypeUrl)) throw failure;
          const question = canRetypeUrl ? 'base URL' : 'API key';
          failures[question] += 1;
          if (failures[question] === maxAttempts) throw failure;
          reportFailure(context, failure, question, maxAttempts - failures[question]);
          // The previous question was the base URL.
          if (canRetypeUrl) throw new PromptEscape();
          login = undefined;
          // The warning was printed with the first request.
          target = { ...target, baseUrl: { ...target.baseUrl, warning: undefined } };
        }
      },
    },
  ]);
  return login as Login;
}

function reportFailure({ terminal }: AppContext, { kind, message }: Failure, question: string, left: number): void {
  terminal.fail(message);
  const detail = kind === 'not-found' ? ', including a version segment such as /v1' : '';
  terminal.errorLine(
    `Enter the ${question} again${detail} (${left === 1 ? 'last attempt' : `${left} attempts left`}).`,
  );
}

/** Returns the profile and base URL from flags, variables or prompts. */
export async function promptForTarget(context: AppContext): Promise<LoginTarget> {
  const answers = openAnswers(context);
  await askInOrder(targetSteps(context, answers));
  const target = toTarget(context, answers);
  await confirmReplacement(context, target);
  return target;
}

/** Asks before the login replaces the base URL of a profile with another. */
async function confirmReplacement(context: AppContext, { name, address }: LoginTarget): Promise<void> {
  const saved = getSavedUrl(context, name);
  if (saved === undefined || saved === address) return;
  const isConfirmed = await context.terminal.prompts.confirm({
    message: `Replace the base URL ${saved} of ${name} with ${address}?`,
    missingInput: {
      message: `profile ${name} has another base URL: ${saved}`,
      missing: [{ syntax: '--yes' }],
      hint: 'pass --yes to replace it, or another --profile',
    },
  });
  if (!isConfirmed) throw canceledError();
}

/** Sends one request with the API key. Returns the failure if the login must not be saved. */
export async function verifyLogin(
  { connections }: AppContext,
  { name, baseUrl, key }: Login,
): Promise<Failure | undefined> {
  const failure = await verifyKey(() => connections.clientAt(baseUrl, key, name));
  if (failure?.kind === 'auth') {
    const message = `the service rejected the API key, and nothing was saved: ${failure.details.message}`;
    const hint = 'check the API key and the base URL, then run the command again';
    return new Failure('auth', { ...failure.details, message, hint });
  }
  if (!failure) return undefined;
  const hint = failure.kind === 'not-found' ? checkBaseUrlHint : failure.details.hint;
  const { kind, message, details } = failure;
  return new Failure(kind, { ...details, message, outcome: 'nothing was saved', hint });
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

/** Returns the answers that need no prompt. Throws a usage error if they cannot be used. */
function openAnswers(context: AppContext): Answers {
  const { settings, terminal } = context;
  const { profiles } = context.config;
  const { origin } = getSetting(settings, 'profile');
  const isGiven = origin === 'flag' || origin === 'environment';
  const { isInteractive, disableReason } = terminal.prompts;
  const canChoose = !isGiven && isInteractive;
  if (!isGiven && disableReason !== undefined && settings.profile === sandboxProfileName) {
    throw missingInputError(missingProfile, disableReason);
  }
  if (!canChoose && settings.profile === sandboxProfileName) {
    throw usageError(
      'embedded_profile',
      'cannot log in to the sandbox, which creates its own API key',
      'pass --profile staging or --profile production',
    );
  }
  // Throws if it is invalid, before the first question.
  if (settings.baseUrl !== undefined) context.config.parseBaseUrl(settings.baseUrl);
  const names = profiles.list().map(({ name }) => name);
  if (!canChoose && !names.includes(settings.profile) && settings.baseUrl === undefined) {
    // Only a prompt can ask for the base URL of a new profile.
    if (!isInteractive) throw unknownProfile(settings, names);
    terminal.notice(`Profile ${settings.profile} does not exist yet. The login creates it.`);
  }
  const answers: Answers = {
    name: canChoose ? undefined : settings.profile,
    isNew: false,
    typedUrl: undefined,
    findUrl: () => settings.baseUrl ?? (answers.name === undefined ? undefined : getSavedUrl(context, answers.name)),
  };
  return answers;
}

function toTarget({ config }: AppContext, { name = '', typedUrl = '', findUrl }: Answers): LoginTarget {
  const address = findUrl() ?? typedUrl;
  return { name, address, baseUrl: config.parseBaseUrl(address) };
}

function targetSteps({ settings, terminal: { prompts }, config }: AppContext, answers: Answers): readonly PromptStep[] {
  const canChoose = answers.name === undefined;
  return [
    {
      isNeeded: () => canChoose,
      ask: async () => {
        const remote = config.profiles.list().filter(({ name }) => name !== sandboxProfileName);
        const current = answers.isNew ? newProfile : (answers.name ?? settings.profile);
        const selected = await prompts.select({
          message: 'Log in to which profile?',
          missingInput: missingProfile,
          choices: [...remote.map(({ name }) => ({ name, value: name })), { name: 'a new profile', value: newProfile }],
          default: current === sandboxProfileName ? undefined : current,
        });
        const isNew = selected === newProfile;
        if (!isNew || !answers.isNew) answers.name = isNew ? undefined : selected;
        answers.isNew = isNew;
      },
    },
    {
      isNeeded: () => answers.isNew,
      ask: async () => {
        const name = await prompts.input({
          message: 'Name of the new profile:',
          missingInput: missingProfile,
          validate: (text) => findProblem(() => checkNewProfileName(config.profiles, text.trim())),
          default: answers.name,
        });
        answers.name = name.trim();
      },
    },
    {
      isNeeded: () => answers.findUrl() === undefined,
      ask: async () => {
        const typedUrl = await prompts.input({
          message: `Base URL of ${answers.name}, such as https://api.example.com/v1:`,
          missingInput: {
            message: `profile ${answers.name} has no base URL`,
            missing: [{ syntax: '--base-url <url>' }],
          },
          validate: (text) => findProblem(() => config.parseBaseUrl(text.trim())),
          default: answers.typedUrl,
        });
        answers.typedUrl = typedUrl.trim();
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
function checkNewProfileName({ list }: Pick<Profiles, 'list'>, name: string): void {
  checkProfileName(name);
  if (!list().some((profile) => profile.name === name)) return;
  throw usageError('invalid_argument', `the profile ${name} exists already`, 'choose another name');
}
