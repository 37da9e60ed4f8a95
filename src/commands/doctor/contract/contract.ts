import type { AppContext } from '../../../app/context.js';
import type { Column, CommandResult, TextLayout } from '../../../cli/command-result.js';
import type { Client, RawRequest } from '../../../client/client.js';
import { getTargetLabel } from '../../../config/settings.js';
import { canceledError, checkBaseUrlHint, Failure, usageError } from '../../../failure.js';
import { truncate } from '../../../format/safe-text.js';
import { findPauseEnd } from '../../../quota/quota-state.js';
import { singleBatch } from '../../records.js';
import { type Check, formatChecks } from '../format-checks.js';
import { type Finding, type Rule, type RuleResult, summarize, unchecked } from './findings.js';
import { probes } from './probes.js';
import { checkResponse, describeQuota } from './response-checks.js';
import { newPet, type ProbeResponse, toProbeResponse } from './responses.js';

const columns: readonly Column[] = [
  { key: 'rule' },
  { key: 'status' },
  { key: 'detail', canShrink: true },
  { key: 'section' },
];

/** Checks with at most ten requests whether the service conforms to the API spec, and how it fills its gaps. */
export async function contract(
  context: AppContext,
  { write = false }: { readonly write?: boolean },
): Promise<CommandResult> {
  const { terminal, settings, config } = context;
  terminal.checkFields(columns);
  if (settings.curl) {
    throw usageError('invalid_flag', '--curl cannot show the requests of --contract', 'remove --curl or --contract');
  }
  if (write) await context.connections.checkWriteAllowed();
  const { problem } = await config.account();
  if (problem) throw problem;
  const client = await context.client();
  await confirmRequests(context, write);
  const { findings, interruption } = await runProbes(context, client, write);
  const results = summarize(findings);
  // Violations matter less if this is another service, or if it is unknown whether a pet was added.
  const isFatal = interruption?.kind === 'service' || interruption?.kind === 'unknown-outcome';
  const failure = isFatal ? interruption : (violationFailure(results) ?? interruption);
  if (interruption && interruption !== failure) terminal.warn(`some rules were not checked: ${interruption.message}`);
  const records = results.map(({ detail, ...result }) => ({
    ...result,
    ...(detail !== undefined && { detail: truncate(terminal.redact(detail), 500) }),
  }));
  const batches = singleBatch(records);
  const text: TextLayout = (style, width) => formatChecks(records.map(toCheck), style, width);
  return { kind: 'records', columns, batches, text, emptyMessage: '', ...(failure && { failure }) };
}

function toCheck({ rule, section, ...result }: RuleResult): Check {
  const isFinding = result.status === 'failed' || result.status === 'warning';
  return { check: rule, ...result, ...(isFinding && { advice: section }) };
}

async function confirmRequests({ settings, terminal }: AppContext, write: boolean): Promise<void> {
  const service = getTargetLabel(settings);
  const warning = `This adds a pet named "${newPet.name}" to ${service}. The pet cannot be deleted.`;
  if (write) terminal.notice(warning);
  const isConfirmed = await terminal.prompts.confirm({
    message: `Send up to ten requests to ${service}${write ? ' and add this pet' : ''}?`,
    missingInput: { message: 'sending up to ten requests needs confirmation', missing: [{ syntax: '--yes' }] },
  });
  if (!isConfirmed) throw canceledError();
}

/** Sends the probes one after another until the quota is used up or the service fails. */
async function runProbes(
  context: AppContext,
  client: Client,
  write: boolean,
): Promise<{ findings: readonly Finding[]; interruption: Failure | undefined }> {
  const findings: Finding[] = [];
  const responses = new Map<Rule, ProbeResponse>();
  let interruption = await findKnownPause(context);
  for (const probe of probes) {
    if (probe.isWrite && !write) continue;
    const request = probe.request(client, responses);
    if (interruption) findings.push(unchecked(probe.rule));
    if (interruption || !request) continue;
    const isFirst = responses.size === 0;
    try {
      const result = await client.sendRaw(request);
      // Nothing else can be checked without a valid key.
      if (isFirst && result.failure?.kind === 'auth') throw result.failure;
      const response = toProbeResponse(result.response, context.clock.now());
      const label = `${request.method} ${request.target}`;
      findings.push(...checkResponse(response, label));
      // A 429 says nothing about the rule.
      if (response.status === 429) findings.push(unchecked(probe.rule));
      else findings.push(...probe.check(response, responses, label));
      responses.set(probe.rule, response);
      interruption = findInterruption(request, response, result.failure, isFirst);
    } catch (error) {
      if (!(error instanceof Failure) || isFirst) throw error;
      findings.push(unchecked(probe.rule));
      interruption = error;
    }
  }
  return { findings: [...findings, ...describeQuota(responses)], interruption };
}

/** Returns why no more requests may be sent after this response. */
function findInterruption(
  { usesOtherKey }: RawRequest,
  { status, json, quota: { remaining, resetAt } }: ProbeResponse,
  failure: Failure | undefined,
  isFirst: boolean,
): Failure | undefined {
  if (failure?.kind === 'unknown-outcome') return failure;
  // Another key has its own quota.
  if (usesOtherKey) return undefined;
  if (failure?.kind === 'rate-limited') return failure;
  if (isFirst && !json) {
    return new Failure('service', {
      code: 'unreadable_answer',
      message: `the response is not JSON (HTTP ${status})`,
      hint: checkBaseUrlHint,
    });
  }
  // Without a reset time the headers are invalid.
  return remaining === 0 && resetAt !== undefined ? usedUpFailure(resetAt) : undefined;
}

/** Returns a failure if the quota state shows that the quota is used up. */
async function findKnownPause({ quota, clock }: AppContext): Promise<Failure | undefined> {
  const pauseEnd = findPauseEnd(await quota.lastSeen(), clock.now());
  return pauseEnd === undefined ? undefined : usedUpFailure(pauseEnd);
}

function usedUpFailure(retryAt: number): Failure {
  return new Failure('rate-limited', {
    code: 'rate_limited',
    message: 'the quota is used up',
    hint: 'wait until the quota resets, then run the same command again',
    retryAt,
  });
}

function violationFailure(results: readonly RuleResult[]): Failure | undefined {
  const violations = results.filter(({ status }) => status === 'failed');
  if (violations.length === 0) return undefined;
  const names = violations.map(({ rule }) => rule).join(', ');
  return new Failure('system', {
    code: 'contract_broken',
    message: `the service violates ${violations.length === 1 ? '1 rule' : `${violations.length} rules`} of the API spec: ${names}`,
    hint: 'read the sections of openapi.yaml that the report cites for the failed rules',
  });
}
