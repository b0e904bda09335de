/** The deployment's keys: one setting, a key of its own for each purpose. */
import { hkdfSync } from 'node:crypto';
import { z } from 'zod';
import { secret } from '#service/config.ts';

/** Settings of every process that issues tokens, counts attempts to get one, or handles the webhooks of clients. */
export const clientsSettings = {
  CLIENTS_KEY: secret(
    z
      .string()
      .min(32, 'must have at least 32 characters')
      .describe(
        'Signs tokens and seals the webhooks of clients; at least 32 characters, the same for every replica.',
      ),
  ),
};

/** What a key is for. */
export type KeyPurpose = 'tokens' | 'webhooks' | 'attempts' | 'board-sessions';

const KEY_BYTES = 32;

/** The key for one purpose, 32 bytes (HKDF-SHA256): one that leaks says nothing of the others. */
export function deriveKey(clientsKey: string, purpose: KeyPurpose): Buffer {
  return Buffer.from(hkdfSync('sha256', clientsKey, '', `touchline ${purpose}`, KEY_BYTES));
}
