/** The maximum number of a client's tokens, and the retention of dead ones. */
import { expect, test } from 'vitest';
import { hashToken, newToken, newTokenId } from '#clients/access-tokens.ts';
import { ClientDirectory } from '#clients/directory.ts';
import type { AccessTokenRecord, Client } from '#records/types.ts';
import { VersionedTopic } from '#topics/versioned-topic.ts';
import { KEEP_DEAD_MS, MAX_LIVE_TOKENS } from '../../../services/tool-gateway/token-exchange/exchange.ts';
import type { TestBackbone } from '../../setup/backbone.ts';
import { clients } from '../../support/api.ts';
import { quietLog } from '../../support/log.ts';
import { untilTrue } from '../../support/poll.ts';
import { publishValues } from '../../support/publish-values.ts';
import { grant, prepareTopics, startGateway, startUpstream } from '../../support/tool-gateway.ts';

const CLIENT = 6;
let identity = '';

function publish(at: TestBackbone, records: readonly AccessTokenRecord[]): Promise<void> {
  return publishValues(
    at,
    'access-tokens',
    records.map((value) => ({ key: value.token_id, value })),
  );
}

function record(changes: Partial<AccessTokenRecord> = {}): AccessTokenRecord {
  return {
    token_id: newTokenId(),
    client_id: CLIENT,
    client_identity: identity,
    token_hash: hashToken(newToken()),
    label: null,
    created_at: 1,
    expires_at: null,
    revoked_at: null,
    version: 1,
    updated_at: 1,
    ...changes,
  };
}

test('409 tenant_slug_conflict: a client has 1,000 live tokens; dead ones do not count, and are deleted after 30 days', async () => {
  const at = await prepareTopics();
  await clients(at, `add --id ${CLIENT}`);
  [{ identity }] = (await new ClientDirectory('clients', { ...at, log: quietLog }).list()) as [Client];
  const long = Date.now() - KEEP_DEAD_MS - 1_000;
  const live = Array.from({ length: MAX_LIVE_TOKENS }, () => record());
  const [revoked, expired] = [record({ revoked_at: long }), record({ expires_at: long })];
  const [lately, ofAnother] = [
    record({ revoked_at: Date.now() - 1_000 }),
    record({ client_id: 7, revoked_at: long }),
  ];
  await publish(at, [...live, revoked, expired, lately, ofAnother]);
  const gateway = await startGateway(at, (await startUpstream(grant)).url);
  const exchange = () => gateway.exchange({ client_id: String(CLIENT), secret_key: 'x' });
  expect(await exchange()).toMatchObject({ status: 409, body: { error: 'tenant_slug_conflict' } });

  const tokens = new VersionedTopic('access-tokens', { ...at, log: quietLog });
  const first = live[0]?.token_id ?? '';
  await tokens.edit(first, (known = record()) => ({ ...known, revoked_at: Date.now() }));
  await untilTrue('the replica knows that one was revoked', async () => (await exchange()).status === 201);
  const listed = async () => new Set((await tokens.list()).map(({ token_id }) => token_id));
  await untilTrue('those that died long ago are deleted', async () => {
    const found = await listed();
    return [revoked, expired].every(({ token_id }) => !found.has(token_id));
  });
  const kept = await listed();
  for (const { token_id } of [lately, ofAnother, ...live]) expect(kept.has(token_id)).toBe(true);
  expect(kept.size).toBe(MAX_LIVE_TOKENS + 3);
});
