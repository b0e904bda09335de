import { MAX_LABEL } from '#clients/access-tokens.ts';
import { toWholeNumber } from '#contract/values.ts';
import { type GivenTo, UsageError } from '../../command.ts';
import { ACTIONS, type tokens } from './command.ts';

/** A parsed request of `touchline tokens`. Times are Unix milliseconds. */
export type TokensRequest =
  | { readonly action: 'list'; readonly clientId: number | null; readonly json: boolean }
  | { readonly action: 'revoke'; readonly id: string }
  | { readonly action: 'revoke all'; readonly clientId: number }
  | { readonly action: 'label'; readonly id: string; readonly label: string | null }
  | { readonly action: 'expire'; readonly id: string; readonly at: number | null };

type Action = keyof typeof ACTIONS;

const ID = /^[0-9a-f]{16}$/;
/** A day, or a moment with its zone: what a time without one means depends on the machine. */
const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** Parses the arguments. Throws `UsageError`. */
export function parseTokens({ values, positionals }: GivenTo<typeof tokens>): TokensRequest {
  const [action = '', ...words] = positionals;
  if (!isAction(action)) throw new UsageError(`say ${Object.keys(ACTIONS).join(', ')}`);
  const stray = Object.keys(values).find((option) => !ACTIONS[action].some((allowed) => allowed === option));
  if (stray !== undefined) throw new UsageError(`--${stray} does not go with ${action}`);
  const clientId = values.client === undefined ? null : clientIdOf(values.client);
  switch (action) {
    case 'list':
      expectWords(action, words, 0);
      return { action, clientId, json: values.json === true };
    case 'revoke':
      expectWords(action, words, clientId === null ? 1 : 0);
      return clientId === null ? { action, id: idOf(words[0]) } : { action: 'revoke all', clientId };
    case 'label':
      expectWords(action, words, values.none === true ? 1 : 2);
      return { action, id: idOf(words[0]), label: values.none === true ? null : labelOf(words[1] ?? '') };
    case 'expire':
      expectWords(action, words, 1);
      if ((values.at === undefined) === (values.never !== true))
        throw new UsageError('say --at <time> or --never');
      return { action, id: idOf(words[0]), at: values.at === undefined ? null : timeOf(values.at) };
  }
}

function isAction(name: string): name is Action {
  return Object.hasOwn(ACTIONS, name);
}

function expectWords(action: string, words: readonly string[], wanted: number): void {
  if (words.length !== wanted)
    throw new UsageError(`${action} takes ${wanted} arguments here, not ${words.length}`);
}

/** Never echoes the argument: it may be a token instead of its id. */
function idOf(text = ''): string {
  if (ID.test(text)) return text;
  throw new UsageError('the id of a token has 16 hexadecimal digits, as touchline tokens list shows it');
}

function clientIdOf(text: string): number {
  const id = toWholeNumber(text);
  if (id !== null && id !== 0) return id;
  throw new UsageError(`a client id is a positive whole number, not ${JSON.stringify(text)}`);
}

function labelOf(text: string): string {
  if ([...text].length <= MAX_LABEL) return text;
  throw new UsageError(`a label has at most ${MAX_LABEL} characters`);
}

function timeOf(text: string): number {
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(time)) return time;
  throw new UsageError(`a time is as 2027-01-31 or 2027-01-31T12:00:00Z, not ${JSON.stringify(text)}`);
}
