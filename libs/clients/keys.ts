/** The keys of a deployment: one setting, from which a key for each purpose is derived. */
import { hkdfSync } from 'node:crypto';
import { z } from 'zod';
import { secret } from '#service/config.ts';

const key = z.string().min(32, 'must have at least 32 characters');

/** The setting of processes that issue tokens or handle the webhooks of clients. */
export const clientsSettings = {
  CLIENTS_KEY: secret(
    key.describe(
      'Signs tokens and seals the webhooks of clients; at least 32 characters, the same for every replica.',
    ),
  ),
};

/** Settings of processes that verify tokens or open webhooks, which also accept another key while it is rotated. */
export const rotatingClientsSettings = {
  ...clientsSettings,
  CLIENTS_KEY_SECOND: secret(
    key
      .optional()
      .describe(
        'Second key, whose tokens are accepted and whose webhooks are opened while CLIENTS_KEY is rotated.',
      ),
  ),
};

/** The keys of a deployment: the first one signs and seals, all are accepted. */
export type ClientsKeys = readonly [string, ...string[]];

/** Returns the keys of the settings. */
export function clientsKeysOf(config: {
  readonly CLIENTS_KEY: string;
  readonly CLIENTS_KEY_SECOND?: string | undefined;
}): ClientsKeys {
  const { CLIENTS_KEY: first, CLIENTS_KEY_SECOND: second } = config;
  return second === undefined ? [first] : [first, second];
}

type KeyPurpose = 'tokens' | 'webhooks' | 'board-sessions';

const KEY_BYTES = 32;

/** Derives the key for one purpose, 32 bytes (HKDF-SHA256): a leaked key does not reveal the others. */
export function deriveKey(clientsKey: string, purpose: KeyPurpose): Buffer {
  return Buffer.from(hkdfSync('sha256', clientsKey, '', `touchline ${purpose}`, KEY_BYTES));
}

/** Derives the keys for one purpose, in the same order. */
export function deriveKeys([first, ...others]: ClientsKeys, purpose: KeyPurpose): DerivedKeys {
  return [deriveKey(first, purpose), ...others.map((other) => deriveKey(other, purpose))];
}

/** Keys for one purpose: the first one signs and seals, all are accepted. */
export type DerivedKeys = readonly [Buffer, ...Buffer[]];
