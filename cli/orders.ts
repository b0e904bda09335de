/** What operators order is recorded on operator-orders: who, when, what, and how it ended. */

import { randomBytes } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { redactor } from '#service/logger.ts';
import { serviceVersion } from '#service/version.ts';
import { withPublisher } from '#streams/publish/publisher.ts';
import { findTopics } from '#topics/admin.ts';
import type { Codec } from '#topics/codec.ts';
import type { OperatorOrder } from '#topics/generated/types.ts';
import { topicName } from '#topics/topics.ts';
import { commandLog, findCluster, type OpenCluster } from './cluster.ts';

/** How long a command waits for its record, milliseconds. */
const WITHIN_MS = 5_000;

/** A command line: its first word, and all others. */
export type CommandLine = { readonly command: string; readonly args: readonly string[] };

/**
 * Runs a command that changes something, with a record before and after it. An order is never held up by its record: where
 * that cannot be written, as before the topics are made, standard error says so.
 */
export async function recordOrder(line: CommandLine, run: () => Promise<number>): Promise<number> {
  const place = placeOrNull();
  if (place === null) return run();
  const order = orderOf(line);
  const begun = await write(place, { ...order, at: Date.now(), outcome: 'begun', exit_code: null });
  let exit_code = 1;
  try {
    exit_code = await run();
    return exit_code;
  } finally {
    const outcome = exit_code === 0 ? 'done' : 'failed';
    const ended = await write(place, { ...order, at: Date.now(), outcome, exit_code });
    const failure = ended ?? (outcome === 'done' && line.command === 'topics' ? null : begun);
    // What failed where nothing can be written says itself why.
    const isSaid = outcome === 'failed' && begun !== null && ended !== null;
    if (failure !== null && !isSaid)
      process.stderr.write(`warning: this order is not recorded: ${failure}\n`);
  }
}

function orderOf({ command, args }: CommandLine) {
  return {
    id: randomBytes(8).toString('hex'),
    user: userName(),
    host: hostname(),
    command,
    arguments: argumentsShown(args),
    version: serviceVersion(),
  };
}

/** Options whose values are secret, and those whose values are addresses, which clients trust to be sealed. */
const SECRET = /^--[a-z-]*(secret|password|token|key)$/;
const ADDRESS = /^--[a-z-]*url$/;
/** Also where an option was left out: the order is recorded before the command reads its arguments. */
const HTTP = /^https?:/i;
const HIDDEN = '[redacted]';

/** Arguments as they are recorded: without secrets, of addresses the host. */
export function argumentsShown(args: readonly string[]): string[] {
  const redact = redactor([]);
  return args.map((argument, at) => {
    const [, option = '', value] = /^(--[^=]+)=(.*)$/s.exec(argument) ?? [];
    if (value !== undefined) return redact(`${option}=${shown(option, value)}`);
    return redact(shown(args[at - 1] ?? '', argument));
  });
}

function shown(option: string, value: string): string {
  if (SECRET.test(option)) return HIDDEN;
  return ADDRESS.test(option) || HTTP.test(value) ? (URL.parse(value)?.host ?? HIDDEN) : value;
}

/** Writes a record; gives why it could not be, null where it was. */
async function write(
  { brokers, prefix, registry }: OpenCluster,
  order: OperatorOrder,
): Promise<string | null> {
  const topic = topicName(prefix, 'operator-orders');
  try {
    if (!(await findTopics({ brokers, prefix })).has('operator-orders'))
      return `there is no topic ${topic}; touchline topics makes it`;
    const codec: Codec<OperatorOrder> = await registry.codec('operator-orders');
    const within = { timeoutMs: WITHIN_MS, openTimeoutMs: WITHIN_MS };
    const options = { brokers, clientId: 'touchline-orders', log: commandLog('orders'), ...within };
    await withPublisher(options, (publisher) =>
      publisher.publish([{ topic, key: order.id, value: codec.encode(order) }]),
    );
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Null where there is no broker: the command says so itself. */
function placeOrNull(): OpenCluster | null {
  try {
    return findCluster(process.env);
  } catch {
    return null;
  }
}

/** A user without a name has a number, as in a container. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
