/** The deployment's keys: one setting, a key of its own for each purpose. */
import { hkdfSync } from 'node:crypto';
import { z } from 'zod';
import { secret } from '#service/config.ts';

const key = z.string().min(32, 'must have at least 32 characters');

/** The setting of every process that issues tokens, counts attempts to get one, or handles the webhooks of clients. */
export const clientsSettings = {
  CLIENTS_KEY: secret(
    key.describe(
      'Signs tokens and seals the webhooks of clients; at least 32 characters, the same for every replica.',
    ),
  ),
};

/** Settings of those that verify tokens or open the webhooks of clients: the key may be rotated under them. */
export const rotatingClientsSettings = {
  ...clientsSettings,
  CLIENTS_KEY_SECOND: secret(
    key
      .optional()
      .describe(
        'Another key whose tokens are accepted and whose webhooks are opened, while CLIENTS_KEY is rotated.',
      ),
  ),
};

/** The deployment's keys: the first one signs and seals, every one is accepted. */
export type ClientsKeys = readonly [string, ...string[]];

export function clientsKeysOf(config: {
  readonly CLIENTS_KEY: string;
  readonly CLIENTS_KEY_SECOND?: string | undefined;
}): ClientsKeys {
  const { CLIENTS_KEY: first, CLIENTS_KEY_SECOND: second } = config;
  return second === undefined ? [first] : [first, second];
}

export type KeyPurpose = 'tokens' | 'webhooks' | 'attempts' | 'board-sessions';

const KEY_BYTES = 32;

/** The key for one purpose, 32 bytes (HKDF-SHA256): one that leaks says nothing of the others. */
export function deriveKey(clientsKey: string, purpose: KeyPurpose): Buffer {
  return Buffer.from(hkdfSync('sha256', clientsKey, '', `touchline ${purpose}`, KEY_BYTES));
}

/** Those for one purpose, in the same order. */
export function deriveKeys([first, ...others]: ClientsKeys, purpose: KeyPurpose): DerivedKeys {
  return [deriveKey(first, purpose), ...others.map((other) => deriveKey(other, purpose))];
}

/** Keys for one purpose: the first one signs and seals, every one is accepted. */
export type DerivedKeys = readonly [Buffer, ...Buffer[]];
