/** The operations of the contract: one table for server, client and document (spec, "Endpoints"). */
import { z } from 'zod';
import type { Operation, OperationInfo } from './operation.ts';
import { catalogueOperations } from './operations/catalogues.ts';
import { eventOperations } from './operations/events.ts';
import { liveOperations } from './operations/live.ts';
import { structureOperations } from './operations/structure.ts';
import type { Access } from './provider.ts';

/** The operation that returns a token, the only one that reads no `ProviderData` (spec, "Authentication" 2). */
export const TOKEN_OPERATION = {
  name: 'oauth',
  path: '/v2/oauth',
  summary: 'Exchanges the credentials of a client for a token.',
  notShown: 'The answer to a wrong secret is not shown: 401.',
  open: true,
  idName: null,
  params: z.object({ client_id: z.string(), secret_key: z.string() }),
  data: z.looseObject({ client_id: z.string(), token: z.string(), token_expiration: z.int() }).meta({
    description: 'The token, and when it expires (Unix seconds).',
  }),
} as const satisfies OperationInfo;

const list = [...catalogueOperations, ...structureOperations, ...eventOperations, ...liveOperations] as const;

type AnyOperation = (typeof list)[number] | typeof TOKEN_OPERATION;

/** The name of an operation, such as `events.index`. */
export type OperationName = AnyOperation['name'];

/** The `api.data` of an operation. */
export type OperationData<N extends OperationName> = z.output<
  Extract<AnyOperation, { readonly name: N }>['data']
>;

/** Every operation but that of tokens. */
export const OPERATIONS: readonly Operation<OperationName>[] = list;

/** Every operation, that of tokens included. */
export const ALL_OPERATIONS: readonly OperationInfo<OperationName>[] = [TOKEN_OPERATION, ...OPERATIONS];

const byName = new Map(ALL_OPERATIONS.map((one) => [one.name, one]));

/** Whether an operation has this name. */
export function isOperationName(name: string): name is OperationName {
  return byName.has(name as OperationName);
}

export function operationNamed(name: OperationName): OperationInfo<OperationName> {
  const found = byName.get(name);
  if (found === undefined) throw new Error(`no operation is called ${name}`);
  return found;
}

/** Whether a contract covers all `needed` operations. Operations without a token are open to everyone. */
export function covers({ operations }: Access, needed: readonly OperationName[]): boolean {
  return operations === null || needed.every((name) => operations.has(name) || operationNamed(name).open);
}
