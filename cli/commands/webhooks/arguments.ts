import { type ArgumentsOf, UsageError } from '../../command.ts';
import { actionOf } from '../actions.ts';
import { parseIdStart } from '../ids.ts';
import { parseCount, parsePastTime } from '../option-values.ts';
import { ACTIONS, type command } from './command.ts';

/**
 * A parsed request of `touchline webhooks`. Times are Unix milliseconds. `skip`
 * gives up all messages composed before a time, or the message with a `uuid`.
 */
export type WebhooksRequest = ReturnType<typeof parseWebhooks>;

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100_000;

/** Parses the arguments; `now` is Unix milliseconds. Throws `UsageError`. */
export function parseWebhooks(given: ArgumentsOf<typeof command>, now: number) {
  const { values } = given;
  const { name: action, words: ids } = actionOf(ACTIONS, given);
  const counts: readonly number[] = ACTIONS[action].ids;
  if (!counts.includes(ids.length))
    throw new UsageError(action === 'list' ? 'list takes no id' : 'name one webhook by its id');
  const [id = ''] = ids.map(parseIdStart);
  const json = values.json === true;
  const limit = parseCount('--limit', values.limit, MAX_LIMIT) ?? DEFAULT_LIMIT;
  switch (action) {
    case 'list':
      return { action, json };
    case 'undelivered':
      return { action, id, limit, json };
    case 'resend':
      if (values.from === undefined) throw new UsageError('add --from and a time');
      return { action, id, from: parsePastTime('--from', values.from, now) };
    case 'skip': {
      const { before, message, yes = false } = values;
      if (before !== undefined && message === undefined)
        return { action, id, what: { before: parsePastTime('--before', before, now) }, yes };
      if (message !== undefined && before === undefined) return { action, id, what: { message }, yes };
      throw new UsageError('add --before and a time, or --message and the id of one message');
    }
    default:
      return { action, id };
  }
}
