import { MAX_LABEL } from '#clients/access-tokens.ts';
import { type ArgumentsOf, UsageError } from '../../command.ts';
import { actionOf } from '../actions.ts';
import { parseOptionalId } from '../ids.ts';
import { parseMoment } from '../option-values.ts';
import { ACTIONS, type command } from './command.ts';

/** A parsed request of `touchline tokens`. Times are Unix milliseconds. */
export type TokensRequest = ReturnType<typeof parseTokens>;

const ID = /^[0-9a-f]{16}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Parses the arguments. Throws `UsageError`. */
export function parseTokens(given: ArgumentsOf<typeof command>) {
  const { values } = given;
  const { name: action, words } = actionOf(ACTIONS, given);
  const clientId = parseOptionalId(values.client);
  const expectWords = (expected: number): void => {
    if (words.length !== expected)
      throw new UsageError(`${action} takes ${expected} arguments here, not ${words.length}`);
  };
  switch (action) {
    case 'list':
      expectWords(0);
      return { action, clientId, json: values.json === true };
    case 'revoke':
      expectWords(clientId === null ? 1 : 0);
      return clientId === null
        ? { action, id: tokenIdOf(words[0]), yes: values.yes }
        : { action: 'revoke all' as const, clientId, yes: values.yes };
    case 'label':
      expectWords(values.none === true ? 1 : 2);
      return {
        action,
        id: tokenIdOf(words[0]),
        label: values.none === true ? null : labelOf(words[1] ?? ''),
      };
    case 'expire':
      expectWords(1);
      if ((values.at === undefined) === (values.never !== true))
        throw new UsageError('add --at <time> or --never');
      return { action, id: tokenIdOf(words[0]), at: values.at === undefined ? null : expiryOf(values.at) };
  }
}

/** Parses the id of a token. The error never echoes the argument, which may be a token instead of its id. */
function tokenIdOf(text = ''): string {
  if (ID.test(text)) return text;
  throw new UsageError('the id of a token has 16 hexadecimal digits, as npx touchline tokens list shows it');
}

function labelOf(text: string): string {
  if ([...text].length <= MAX_LABEL) return text;
  throw new UsageError(`a label has at most ${MAX_LABEL} characters`);
}

/** Parses a moment, or a day, which means its beginning in UTC. */
function expiryOf(text: string): number {
  return parseMoment('--at', DAY.test(text) ? `${text}T00:00Z` : text);
}
