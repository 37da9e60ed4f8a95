import { parseQuotaHeaders } from '../../../api/rate-limit-headers.js';
import type { AppContext } from '../../../app/context.js';
import type { Column, CommandResult } from '../../../cli/command-result.js';
import type { Client } from '../../../client/client.js';
import { getTargetLabel } from '../../../config/settings.js';
import { canceledError, checkBaseUrlHint, Failure, usageError } from '../../../failure.js';
import { truncate } from '../../../format/safe-text.js';
import { findPauseEnd } from '../../../quota/ledger.js';
import { inOneBatch } from '../../records.js';
import { type Finding, summarize } from './findings.js';
import { type Answer, readAnswer, type Seen } from './observations.js';
import { judgeTogether } from './overall.js';
import { type Probe, type ProbeRequest, probes } from './probes.js';
import { judgeAny } from './rules.js';
import { newName } from './sample.js';

const columns: readonly Column[] = [
  { key: 'section' },
  { key: 'rule' },
  { key: 'status' },
  { key: 'detail', canShrink: true },
];

/** Asks a service how it fills what the interface leaves open, and where it breaks what that says. */
export async function contract(
  context: AppContext,
  { write }: { readonly write?: true },
): Promise<CommandResult> {
  context.terminal.checkFields(columns);
  if (context.settings.curl) {
    throw usageError('invalid_flag', '--contract is up to ten requests, and --curl shows one');
  }
  const { problem } = await context.config.account();
  if (problem) throw problem;
  const client = await context.client();
  await agree(context, write === true);
  const { findings, ended } = await examine(context, client, write === true);
  // No rule matters where this is no store, or nobody knows whether a pet was added.
  const isWorse = ended?.kind === 'service' || ended?.kind === 'unknown-outcome';
  const failure = (isWorse ? ended : undefined) ?? failureOf(findings) ?? ended;
  if (ended && ended !== failure) context.terminal.warn(`not all was asked: ${ended.message}`);
  return {
    kind: 'records',
    columns,
    batches: inOneBatch(
      findings.map(({ detail, ...finding }) => ({
        ...finding,
        ...(detail !== undefined && { detail: truncate(context.terminal.redact(detail), 500) }),
      })),
    ),
    emptyMessage: '',
    ...(failure && { failure }),
  };
}

async function agree({ settings, terminal: { prompts, notice } }: AppContext, write: boolean) {
  const where = getTargetLabel(settings);
  if (write)
    notice(`A pet named "${newName}" is added to ${where}; nothing can take it away again.`);
  const agreed = await prompts.confirm({
    message: `Send up to ten requests to ${where}${write ? ', and add that pet' : ''}?`,
    missingInputMessage: 'pass --yes to send up to ten requests',
  });
  if (!agreed) throw canceledError('nothing was sent');
}

interface Examined {
  readonly findings: readonly Finding[];
  /** Why no more was asked. */
  readonly ended?: Failure;
}

/** Each probe in turn, until the quota or the network ends it; what was not asked is told. */
async function examine(context: AppContext, client: Client, write: boolean): Promise<Examined> {
  const { clock } = context;
  const findings: Finding[] = [];
  const seen = new Map<string, Answer>();
  let ended = await usedUp(context);
  for (const probe of probes) {
    if (probe.writes && !write) continue;
    const request = probe.request(seen, client.origin, client.basePath);
    if (!request && !ended) continue;
    if (!request || ended) {
      findings.push(notAsked(probe));
      continue;
    }
    try {
      const { response, failure } = await send(client, request);
      const answer = readAnswer(response, clock.now());
      // Whoever does not take the key tells nothing of all else.
      if (failure?.kind === 'auth' && seen.size === 0) throw failure;
      findings.push(...judge(probe, request, answer, seen));
      seen.set(probe.name, answer);
      if (failure?.kind === 'unknown-outcome') ended = failure;
      // Another key has another quota.
      else if (failure?.kind === 'rate-limited')
        ended = request.key === undefined ? failure : undefined;
      else if (seen.size === 1 && !answer.json) ended = notTheStore();
      else if (request.key === undefined) ended = spent(answer);
    } catch (error) {
      if (!(error instanceof Failure) || seen.size === 0) throw error;
      findings.push(notAsked(probe));
      ended = error;
    }
  }
  return { findings: summarize([...findings, ...judgeTogether(seen)]), ...(ended && { ended }) };
}

function send(client: Client, { method, target, body, key }: ProbeRequest) {
  return client.sendRaw({
    method,
    target,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    ...(body && { body }),
    ...(key !== undefined && { usesOtherKey: true }),
    noRetry: true,
  });
}

function judge(probe: Probe, { method, target }: ProbeRequest, answer: Answer, seen: Seen) {
  const what = `${method} ${target}`;
  // A refusal for the quota says nothing of what was asked.
  const own = answer.status === 429 ? [notAsked(probe)] : probe.judge(answer, what, seen);
  return [...judgeAny(answer, what), ...own];
}

function notAsked({ section, rule }: Probe): Finding {
  return { section, rule, status: 'not asked' };
}

/** A quota that was used up before, by this machine's knowledge of it. */
async function usedUp(context: AppContext): Promise<Failure | undefined> {
  const entry = await context.quota.lastSeen();
  const until = entry && findPauseEnd(entry, context.clock.now());
  return until === undefined ? undefined : limited(until);
}

/** A quota that this answer has used up. */
function spent({ headers, now, skew }: Answer): Failure | undefined {
  const { remaining, resetAt } = parseQuotaHeaders(headers, now, skew);
  // Nothing left until no time at all is no quota, but a header that makes no sense.
  return remaining === 0 && resetAt !== undefined ? limited(resetAt) : undefined;
}

/** What answers with pages need not be asked for more of them. */
function notTheStore(): Failure {
  return new Failure('service', {
    code: 'unreadable_answer',
    message: 'it answers, but not as the store does',
    hint: checkBaseUrlHint,
  });
}

function limited(retryAt: number): Failure {
  return new Failure('rate-limited', {
    code: 'rate_limited',
    message: 'the quota is used up, and not all was asked',
    retryAt,
  });
}

function failureOf(findings: readonly Finding[]): Failure | undefined {
  const broken = findings.filter(({ status }) => status === 'broken');
  if (broken.length === 0) return undefined;
  const names = broken.map(({ section, rule }) => `${rule} (${section})`).join(', ');
  return new Failure('system', {
    code: 'contract_broken',
    message: `the service breaks ${broken.length === 1 ? 'a rule' : `${broken.length} rules`} of the interface: ${names}`,
  });
}
