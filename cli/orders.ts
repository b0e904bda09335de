/** Records the orders of operators on operator-orders: who gave an order, when, which, and how it ended. */

import { randomBytes } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { reasonOf } from '#errors/touchline-error.ts';
import type { OperatorOrder, OrderAudit } from '#records/types.ts';
import { redactor } from '#service/logger.ts';
import { serviceVersion } from '#service/version.ts';
import { findTopics } from '#topics/admin.ts';
import { MAX_REASON, orderReason } from '#topics/halt-orders.ts';
import { topicName } from '#topics/topics.ts';
import { findCluster, type OpenCluster, publishValues } from './cluster.ts';
import { UsageError } from './command.ts';
import { requireSchemas } from './followed-topics.ts';

const WRITE_TIMEOUT_MS = 5_000;

/** Runs a command that changes something, with a record before and after it. Where none can be written, it runs too, with a warning. */
export async function recordOrder(
  line: { readonly command: string; readonly args: readonly string[] },
  run: () => Promise<number>,
): Promise<number> {
  const cluster = findClusterOrNull();
  if (cluster === null) return run();
  const order = {
    id: randomBytes(8).toString('hex'),
    user: userName(),
    host: hostname(),
    command: line.command,
    arguments: recordedArguments(line.args),
    version: serviceVersion(),
  };
  const beginProblem = await write(cluster, { ...order, at: Date.now(), outcome: 'begun', exit_code: null });
  let exit_code = 1;
  try {
    exit_code = await run();
    return exit_code;
  } finally {
    const outcome = exit_code === 0 ? 'done' : 'failed';
    const endProblem = await write(cluster, { ...order, at: Date.now(), outcome, exit_code });
    // Before `topics` ran there was no topic for the first record.
    const problem = endProblem ?? (line.command === 'topics' ? null : beginProblem);
    // A command that fails while nothing can be written reports the reason itself.
    const isReported = outcome === 'failed' && beginProblem !== null && endProblem !== null;
    if (problem !== null && !isReported)
      process.stderr.write(`warning: this order is not recorded: ${problem}\n`);
  }
}

/** Options with a secret value, or with a file for which a secret may be given by mistake. */
const SECRET = /^--[a-z-]*(secret|password|token|key)(-file)?$/;
/** Options with an address, which clients trust to be sealed. */
const ADDRESS = /^--[a-z-]*url$/;
/** A word that may be an address, with or without a scheme, in quotes or not: the order is recorded before its arguments are checked. */
const ADDRESS_LIKE = /[/?@]/;
const HIDDEN = '[redacted]';

/** Returns the arguments to record: without secrets, and only the host of an address. */
export function recordedArguments(args: readonly string[]): string[] {
  const redact = redactor([]);
  return args.map((argument, at) => {
    const [, option = '', value] = /^(--[^=]+)=(.*)$/s.exec(argument) ?? [];
    if (value !== undefined) return redact(`${option}=${recordedValue(option, value)}`);
    return redact(recordedValue(args[at - 1] ?? '', argument));
  });
}

function recordedValue(option: string, value: string): string {
  if (SECRET.test(option)) return value === '-' ? value : HIDDEN;
  if (ADDRESS.test(option)) return hostOf(value);
  return value.replaceAll(/\S+/g, (word) => (ADDRESS_LIKE.test(word) ? hostOf(word) : word));
}

function hostOf(address: string): string {
  const bare = address.replaceAll(/["'`<>]/g, '');
  if (bare.startsWith('/')) return HIDDEN;
  return URL.parse(/^\w+:\/\//.test(bare) ? bare : `http://${bare}`)?.host || HIDDEN;
}

async function write(cluster: OpenCluster, order: OperatorOrder): Promise<string | null> {
  try {
    if (!(await findTopics(cluster)).has('operator-orders'))
      return `there is no topic ${topicName(cluster.prefix, 'operator-orders')}; npx touchline topics creates it unless it was lost`;
    await requireSchemas(cluster, ['operator-orders']);
    const options = { client: 'orders', timeoutMs: WRITE_TIMEOUT_MS };
    await publishValues(cluster, 'operator-orders', [{ key: order.id, value: order }], options);
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

function findClusterOrNull(): OpenCluster | null {
  try {
    return findCluster(process.env);
  } catch {
    return null;
  }
}

/** Returns who gives an order now, and why. Throws `UsageError` for a reason that is missing or too long. */
export function auditOf(text: string | undefined): OrderAudit {
  const reason = orderReason(text);
  if (reason === null)
    throw new UsageError(`an order needs --reason: why, in one line of up to ${MAX_REASON} characters`);
  return { at: Date.now(), user: userName(), host: hostname(), reason };
}

/** Returns the user's name, or the number of a user without a name, as in a container. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
