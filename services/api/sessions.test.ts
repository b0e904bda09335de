import { beforeEach, expect, test } from 'vitest';
import type { Contracts } from '#clients/contracts.ts';
import { hashSecret } from '#clients/keys.ts';
import { createAuthenticator } from './app.ts';
import { type BoardSessions, createSessions, SESSION_SECONDS } from './sessions.ts';
import { clientSeven, KEY } from './testing/client-seven.ts';

const BEGUN = 1_790_000_000;
let now: number;
let clients: Contracts;
let change: ReturnType<typeof clientSeven>['change'];
let sessions: BoardSessions;

function replica(CLIENTS_KEY: string, CLIENTS_KEY_SECOND?: string): BoardSessions {
  const clientsKeys = { CLIENTS_KEY, CLIENTS_KEY_SECOND };
  const authenticator = createAuthenticator(clients, clientsKeys);
  return createSessions({ clients, authenticator, clientsKeys, now: () => now });
}

beforeEach(() => {
  now = BEGUN;
  ({ clients, change } = clientSeven());
  sessions = replica(KEY);
});

test('opens a session only with the right secret', async () => {
  expect(await sessions.open('7', 'wrong')).toBeNull();
  expect(await sessions.open('8', 'right')).toBeNull();
  const session = (await sessions.open('7', 'right')) ?? '';
  const viewer = sessions.viewer(session);
  expect(viewer?.clientId).toBe(7);
  expect(viewer?.access()).toMatchObject({ competitions: new Set([1, 2]), operations: null });
});

test('accepts a session at every replica with the key, and at no other', async () => {
  const session = (await sessions.open('7', 'right')) ?? '';
  expect(replica(KEY).viewer(session)).not.toBeNull();
  expect(replica(`${KEY}x`).viewer(session)).toBeNull();
  expect(replica(`${KEY}x`, KEY).viewer(session)).not.toBeNull();
  for (const text of ['', 'v1.7.9', `${session}x`, session.replace('v1.7', 'v1.8')])
    expect(sessions.viewer(text)).toBeNull();
});

test('accepts neither a token as a session nor a session as a token', async () => {
  const authenticator = createAuthenticator(clients, { CLIENTS_KEY: KEY });
  const { token } = (await authenticator.exchange('7', 'right', now)) ?? { token: '' };
  expect(sessions.viewer(token)).toBeNull();
  expect(authenticator.access((await sessions.open('7', 'right')) ?? '', now)).toBeNull();
});

test('ends a session after its lifetime, also for a reader who is connected', async () => {
  const session = (await sessions.open('7', 'right')) ?? '';
  const viewer = sessions.viewer(session);
  now = BEGUN + SESSION_SECONDS - 1;
  expect([sessions.viewer(session)?.clientId, viewer?.access()?.clientId]).toEqual([7, 7]);
  now = BEGUN + SESSION_SECONDS;
  expect([sessions.viewer(session), viewer?.access()]).toEqual([null, null]);
});

test.each([
  ['the secret is rotated', () => ({ secret_hash: hashSecret('other') })],
  ['the client is disabled', () => ({ active: false })],
])('ends a session when %s', async (_, changes) => {
  const session = (await sessions.open('7', 'right')) ?? '';
  const viewer = sessions.viewer(session);
  change({ version: 2, ...changes() });
  expect([sessions.viewer(session), viewer?.access()]).toEqual([null, null]);
});

test('refuses copies of a signed-out session where it was signed out, and ends its open boards', async () => {
  const session = (await sessions.open('7', 'right')) ?? '';
  const other = (await sessions.open('7', 'right')) ?? '';
  const viewer = sessions.viewer(session);
  sessions.end(session);
  expect([sessions.viewer(session), viewer?.access()]).toEqual([null, null]);
  // Of the same client and second.
  expect(sessions.viewer(other)).not.toBeNull();
});

test('follows the contract while it lasts', async () => {
  const session = (await sessions.open('7', 'right')) ?? '';
  const viewer = sessions.viewer(session);
  change({ version: 2, competitions: [3] });
  expect(viewer?.access()?.competitions).toEqual(new Set([3]));
});
