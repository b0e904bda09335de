import { describe, expect, test } from 'vitest';
import { type DerivedKeys, deriveKey } from '#clients/keys.ts';
import { resealWebhook, sealWebhook } from '#clients/webhooks.ts';
import type { Client } from '#records/types.ts';
import { silentLogger } from '#streams/log.ts';
import { WebhookSubscriptions } from './subscriptions.ts';
import { clientWith } from './testing/client.ts';

const OLD = deriveKey('a key of a deployment, long enough', 'webhooks');
const NEW = deriveKey('another key of a deployment, long', 'webhooks');
const ADDRESS = { url: 'https://receiver.example/', secret: 's'.repeat(32) };
const SEALED = sealWebhook(1, ADDRESS, OLD, { created_at: 0 });
const RESEALED = resealWebhook(1, SEALED, [NEW, OLD]);

/** Returns the subscriptions of a dispatcher with these keys, and the codes that it logged. */
function dispatcherWith(keys: DerivedKeys) {
  const codes: unknown[] = [];
  const log = { ...silentLogger, error: (of: object) => codes.push(of) };
  const subscriptions = new WebhookSubscriptions({ keys, log });
  subscriptions.known = true;
  /** Applies records, and returns all subscriptions. */
  const opened = (...records: readonly Client[]) => {
    for (const record of records) subscriptions.apply(record.client_id, record);
    return subscriptions.all();
  };
  return { codes, subscriptions, opened };
}

describe('the subscriptions of a dispatcher', () => {
  test('are opened from the last record of a client, whatever key sealed the earlier ones', () => {
    const { opened, codes } = dispatcherWith([NEW]);
    const all = opened(clientWith(SEALED), clientWith(RESEALED, 2));
    expect(all).toMatchObject([{ id: SEALED.id, url: ADDRESS.url, active: true }]);
    expect(codes).toEqual([]);
  });

  test.each([
    ['before the rotation', [OLD], SEALED],
    ['with the new key as the second one', [OLD, NEW], SEALED],
    ['with the old key as the second one', [NEW, OLD], SEALED],
    ['with the old key as the second one, sealed again', [NEW, OLD], RESEALED],
    ['while others have the new key first, sealed again', [OLD, NEW], RESEALED],
    ['with the new key alone, sealed again', [NEW], RESEALED],
  ] as const)('are open at each step of a rotation in its order: %s', (_, keys, webhook) => {
    const { opened, codes } = dispatcherWith(keys);
    expect(opened(clientWith(webhook))).toMatchObject([{ ...ADDRESS, isSealed: false, active: true }]);
    expect(codes).toEqual([]);
  });

  test('end with the deletion of their client', () => {
    const { subscriptions, opened } = dispatcherWith([OLD]);
    expect(opened(clientWith(SEALED))).toHaveLength(1);
    subscriptions.apply(1, null);
    expect(opened()).toEqual([]);
  });

  test('keep a webhook that no key opens, say so, and open it once it is sealed again', () => {
    const { opened, codes } = dispatcherWith([NEW]);
    expect(opened(clientWith(SEALED))).toMatchObject([{ id: SEALED.id, isSealed: true, active: false }]);
    expect(codes).toMatchObject([{ client: 1, subscription: SEALED.id, code: 'SEAL_BROKEN' }]);
    expect(opened(clientWith(RESEALED, 2))).toMatchObject([{ ...ADDRESS, isSealed: false, active: true }]);
  });
});
