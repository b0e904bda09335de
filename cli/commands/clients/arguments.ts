import { WEBHOOK_TYPES, type WebhookType } from '#clients/webhooks.ts';
import { isOperationName } from '#contract/rest/operations.ts';
import { limitProblem, type ReaderLimits } from '#tradability/feed-status.ts';
import { ALERT_FORMATS } from '#webhooks/alert-formats.ts';
import { type ArgumentsOf, UsageError } from '../../command.ts';
import { actionOf } from '../actions.ts';
import { parseId } from '../ids.ts';
import { ACTIONS, type command } from './command.ts';

/** A parsed request of `touchline clients`. A list is null for all, and undefined when it is not given. */
export type ClientsRequest = ReturnType<typeof parseClients>;

/** Parses the arguments. Throws `UsageError`. */
export function parseClients(given: ArgumentsOf<typeof command>) {
  const { values } = given;
  const { name, words } = actionOf(ACTIONS, given);
  const expected = ACTIONS[name].words;
  if (words.length !== expected) throw new UsageError(`${name} takes ${expected} ids, not ${words.length}`);

  const [first = '', webhookId = ''] = words;
  const id = (): number => parseId(first);
  const contract = {
    competitions: listOf(values.competitions, parseId),
    operations: listOf(values.operations, operationOf),
    mayHalt: values['may-halt'] === undefined ? undefined : values['may-halt'] === 'yes',
  };
  switch (name) {
    case 'add':
      return {
        action: name,
        ...contract,
        id: values.id === undefined ? undefined : parseId(values.id),
        name: values.name,
      };
    case 'list':
      return { action: name, json: values.json === true };
    case 'show':
      return { action: name, id: id(), json: values.json === true };
    case 'contract':
      if (Object.values(contract).every((part) => part === undefined))
        throw new UsageError('name --competitions, --operations or --may-halt');
      return { action: name, id: id(), ...contract };
    case 'webhook add':
      if (values.url === undefined) throw new UsageError('name the address with --url');
      if (values.secret !== undefined)
        throw new UsageError(
          '--secret would show the secret to every user of this machine: use --secret-file',
        );
      return {
        action: name,
        id: id(),
        url: values.url,
        secretFile: values['secret-file'],
        ...formOf(values),
        limits: limitsOf(values),
        test: values.test === true,
      };
    case 'webhook rotate-secret':
      return { action: name, id: id(), webhookId, finish: values.finish === true };
    case 'webhook test':
      return { action: name, id: id(), webhookId };
    case 'webhook remove':
      return { action: name, id: id(), webhookId, yes: values.yes };
    case 'webhook reseal':
      return { action: name };
    default:
      return { action: name, id: id() };
  }
}

/** Returns the types, the choice of states and the form of a new webhook. */
function formOf({
  types,
  format,
  template,
  'latest-only': latestOnly = false,
}: ArgumentsOf<typeof command>['values']) {
  const listed = listOf(types, webhookTypeOf) ?? null;
  const known = ALERT_FORMATS.find((one) => one === format) ?? null;
  if ((known === 'template') !== (template !== undefined))
    throw new UsageError('--format template and --template <file> go together');
  if (latestOnly && (known !== null || listed?.includes('event') === false))
    throw new UsageError('--latest-only leaves out messages of the type event, and none is selected');
  if (known === null) return { types: listed, latestOnly, format: null, templateFile: undefined };
  if (listed?.some((type) => type !== 'alert'))
    throw new UsageError('--format is for alerts: leave --types out');
  return { types: ['alert' as const], latestOnly, format: known, templateFile: template };
}

/** Returns the limits beyond which the deliveries of a new webhook are marked. */
function limitsOf({
  'max-age-seconds': age,
  'max-delay-seconds': delay,
}: ArgumentsOf<typeof command>['values']): ReaderLimits {
  const limit = (option: string, text: string | undefined): number | undefined => {
    const problem = text === undefined ? null : limitProblem(Number(text || Number.NaN));
    if (problem !== null) throw new UsageError(`${option} ${problem}; it is ${JSON.stringify(text)}`);
    return text === undefined ? undefined : Number(text);
  };
  return {
    maxAgeSeconds: limit('--max-age-seconds', age),
    maxDelaySeconds: limit('--max-delay-seconds', delay),
  };
}

function listOf<T>(text: string | undefined, item: (text: string) => T): T[] | null | undefined {
  if (text === undefined || text === 'all') return text === undefined ? undefined : null;
  return text.split(',').map((part) => item(part.trim()));
}

function webhookTypeOf(text: string): WebhookType {
  const type = WEBHOOK_TYPES.find((known) => known === text);
  if (type === undefined)
    throw new UsageError(`messages are of type ${WEBHOOK_TYPES.join(' or ')}, not ${JSON.stringify(text)}`);
  return type;
}

function operationOf(name: string): string {
  if (isOperationName(name)) return name;
  throw new UsageError(`there is no operation ${JSON.stringify(name)}; see /openapi.json`);
}
