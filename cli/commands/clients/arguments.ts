import { WEBHOOK_TYPES, type WebhookType } from '#clients/webhooks.ts';
import { ALL_OPERATIONS } from '#contract/rest/operations.ts';
import { toWholeNumber } from '#contract/values.ts';
import { type GivenTo, UsageError } from '../../command.ts';
import { ACTIONS, type clients } from './command.ts';

type Contract = {
  /** Null: all; undefined: not given. */
  readonly competitions?: number[] | null;
  readonly operations?: string[] | null;
};

/** A parsed request of `touchline clients`. */
export type ClientsRequest =
  | ({ readonly action: 'add'; readonly id?: number; readonly name?: string } & Contract)
  | { readonly action: 'list'; readonly json: boolean }
  | { readonly action: 'show'; readonly id: number; readonly json: boolean }
  | { readonly action: 'enable' | 'disable' | 'rotate-secret'; readonly id: number }
  | ({ readonly action: 'contract'; readonly id: number } & Contract)
  | {
      readonly action: 'webhook add';
      readonly id: number;
      readonly url: string;
      /** Of the file with the signing secret; `-` is standard input. */
      readonly secretFile?: string;
      /** Null is all. */
      readonly types: readonly WebhookType[] | null;
      readonly test: boolean;
    }
  | {
      readonly action: 'webhook rotate-secret';
      readonly id: number;
      readonly webhookId: string;
      readonly finish: boolean;
    }
  | { readonly action: 'webhook test'; readonly id: number; readonly webhookId: string }
  | { readonly action: 'webhook remove'; readonly id: number; readonly webhookId: string }
  | { readonly action: 'webhook reseal' };

type Action = keyof typeof ACTIONS;

/** Parses the arguments. Throws `UsageError`. */
export function parseClients({ values, positionals }: GivenTo<typeof clients>): ClientsRequest {
  const [first = '', second = ''] = positionals;
  const name = first === 'webhook' ? `webhook ${second}` : first;
  if (!isAction(name)) throw new UsageError(`say ${Object.keys(ACTIONS).join(', ')}`);
  const words = positionals.slice(name.split(' ').length);
  const { words: wanted, options } = ACTIONS[name];
  if (words.length !== wanted) throw new UsageError(`${name} takes ${wanted} of ids, not ${words.length}`);
  const stray = Object.keys(values).find((option) => !options.some((allowed: string) => allowed === option));
  if (stray !== undefined) throw new UsageError(`--${stray} does not go with ${name}`);

  const id = (): number => idOf(words[0] ?? '');
  const contract: Contract = {
    ...(values.competitions === undefined ? {} : { competitions: listOf(values.competitions, idOf) }),
    ...(values.operations === undefined ? {} : { operations: listOf(values.operations, operationOf) }),
  };
  switch (name) {
    case 'add':
      return {
        action: name,
        ...contract,
        ...(values.id === undefined ? {} : { id: idOf(values.id) }),
        ...(values.name === undefined ? {} : { name: values.name }),
      };
    case 'list':
      return { action: name, json: values.json === true };
    case 'show':
      return { action: name, id: id(), json: values.json === true };
    case 'contract':
      if (Object.keys(contract).length === 0) throw new UsageError('say --competitions or --operations');
      return { action: name, id: id(), ...contract };
    case 'webhook add':
      if (values.url === undefined) throw new UsageError('say --url');
      if (values.secret !== undefined)
        throw new UsageError('--secret shows the secret to every user of this machine; say --secret-file');
      return {
        action: name,
        id: id(),
        url: values.url,
        ...(values['secret-file'] === undefined ? {} : { secretFile: values['secret-file'] }),
        types: listOf(values.types ?? 'all', webhookTypeOf),
        test: values.test === true,
      };
    case 'webhook rotate-secret':
      return { action: name, id: id(), webhookId: words[1] ?? '', finish: values.finish === true };
    case 'webhook test':
    case 'webhook remove':
      return { action: name, id: id(), webhookId: words[1] ?? '' };
    case 'webhook reseal':
      return { action: name };
    default:
      return { action: name, id: id() };
  }
}

function isAction(name: string): name is Action {
  return Object.hasOwn(ACTIONS, name);
}

function listOf<T>(text: string, item: (text: string) => T): T[] | null {
  return text === 'all' ? null : text.split(',').map((part) => item(part.trim()));
}

function idOf(text: string): number {
  const id = toWholeNumber(text);
  if (id === null || id === 0)
    throw new UsageError(`an id is a positive whole number, not ${JSON.stringify(text)}`);
  return id;
}

function webhookTypeOf(text: string): WebhookType {
  const type = WEBHOOK_TYPES.find((known) => known === text);
  if (type === undefined)
    throw new UsageError(`messages are of type ${WEBHOOK_TYPES.join(' or ')}, not ${JSON.stringify(text)}`);
  return type;
}

function operationOf(name: string): string {
  if (ALL_OPERATIONS.some((operation) => operation.name === name)) return name;
  throw new UsageError(`there is no operation ${JSON.stringify(name)}; see /openapi.json`);
}
