import { Contracts } from '#clients/contracts.ts';
import { hashSecret } from '#clients/keys.ts';
import type { Client } from '#records/types.ts';

/** The key of the deployment. */
export const KEY = 'k'.repeat(32);

const CLIENT: Client = {
  client_id: 7,
  identity: '0123456789abcdef',
  name: 'x',
  active: true,
  secret_hash: hashSecret('right'),
  competitions: [1, 2],
  operations: null,
  may_halt: false,
  webhooks: [],
  version: 1,
  updated_at: 1,
};

/** Creates the contracts of one client, 7, whose secret is "right". `change` applies another version of it. */
export function clientSeven() {
  const clients = new Contracts((access) => access);
  const change = (changes: Partial<Client>): void =>
    clients.apply({ key: '7', value: { ...CLIENT, ...changes } });
  change({});
  return { clients, change };
}
