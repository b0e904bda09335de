import { type GivenTo, UsageError } from '../../command.ts';
import { durationMs } from '../option-values.ts';
import { ACTIONS, type webhooks } from './command.ts';

/** A parsed request of `touchline webhooks`. Times are Unix milliseconds. */
export type WebhooksRequest =
  | { readonly action: 'list'; readonly json: boolean }
  | {
      readonly action: 'attempts';
      /** Of all subscriptions where it is undefined. */
      readonly id: string | undefined;
      readonly since: number;
      readonly limit: number;
      readonly json: boolean;
    }
  | { readonly action: 'undelivered'; readonly id: string; readonly limit: number; readonly json: boolean }
  | { readonly action: 'resend'; readonly id: string; readonly from: number }
  | {
      readonly action: 'skip';
      readonly id: string;
      /** Everything composed before a time, or one message by its `uuid`. */
      readonly what: { readonly before: number } | { readonly message: string };
      readonly yes: boolean;
    }
  | { readonly action: 'enable' | 'disable'; readonly id: string };

const LIMIT = 50;
const MOST = 100_000;

/** Parses the arguments; `now` is Unix milliseconds. Throws `UsageError`. */
export function parseWebhooks(
  { values, positionals }: GivenTo<typeof webhooks>,
  now: number,
): WebhooksRequest {
  const [action = '', ...ids] = positionals;
  if (!isAction(action)) throw new UsageError(`say ${Object.keys(ACTIONS).join(', ')}`);
  const { ids: counts, options } = ACTIONS[action];
  if (!counts.some((count) => count === ids.length)) {
    throw new UsageError(
      counts.length === 1 && counts[0] === 0 ? 'list takes no id' : 'name one webhook by its id',
    );
  }
  const stray = Object.keys(values).find((option) => !options.some((allowed: string) => allowed === option));
  if (stray !== undefined) throw new UsageError(`--${stray} does not go with ${action}`);
  const id = ids[0] ?? '';
  const json = values.json === true;
  const limit = limitOf(values.limit);
  switch (action) {
    case 'list':
      return { action, json };
    case 'attempts':
      return { action, id: ids[0], since: timeOf(values.since ?? '1d', now), limit, json };
    case 'undelivered':
      return { action, id, limit, json };
    case 'resend':
      if (values.from === undefined) throw new UsageError('say --from and a time');
      return { action, id, from: pastTimeOf(values.from, now) };
    case 'skip': {
      const { before, message, yes = false } = values;
      if (before !== undefined && message === undefined)
        return { action, id, what: { before: pastTimeOf(before, now) }, yes };
      if (message !== undefined && before === undefined) return { action, id, what: { message }, yes };
      throw new UsageError('say --before and a time, or --message and the id of one message');
    }
    default:
      return { action, id };
  }
}

function isAction(name: string): name is keyof typeof ACTIONS {
  return Object.hasOwn(ACTIONS, name);
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return LIMIT;
  const limit = Number(text);
  if (!/^\d{1,6}$/.test(text) || limit < 1 || limit > MOST)
    throw new UsageError(`--limit is a number from 1 to ${MOST}, not ${JSON.stringify(text)}`);
  return limit;
}

/** A time that has been. */
function pastTimeOf(text: string, now: number): number {
  const time = timeOf(text, now);
  if (time > now) throw new UsageError(`${new Date(time).toISOString()} lies in the future`);
  return time;
}

/** `2h` is two hours ago; else a time as ISO 8601 has it. */
function timeOf(text: string, now: number): number {
  const ago = durationMs(text);
  if (ago !== null) return now - ago;
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new UsageError(
      `a time is as 2026-11-20T18:00:00Z, or as 2h for two hours ago, not ${JSON.stringify(text)}`,
    );
  return time;
}
