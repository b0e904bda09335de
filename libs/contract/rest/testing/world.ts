/** Records, clients and a server of the contract for tests of what all its servers have in common. */
import fastify from 'fastify';
import { issueToken, verifyToken } from '#signing/token.ts';
import { restServerOptions } from '../error-answers.ts';
import { RestError } from '../errors.ts';
import type { Access, Authenticator, ProviderData } from '../provider.ts';
import type { RestRecord } from '../records.ts';
import { type RestOptions, restRoutes } from '../routes.ts';

/** 2026-09-21 14:13:20 UTC. */
export const NOW = 1_790_000_000;

const VERSION = '2.0.0';

/** Full access. */
export const CLIENT: ContractClient = {
  clientId: 1,
  secret: 'open sesame',
  competitions: null,
  operations: null,
};

/** Access to one competition, without the reduced live payload. */
export const NARROW: ContractClient = {
  clientId: 2,
  secret: 'a crack',
  competitions: new Set([10]),
  operations: new Set(['events.index', 'events.show', 'livescore.index']),
};

/** Returns an event of today in competition 10. */
export function event(id: number, more: Partial<RestRecord<'event'>> = {}): RestRecord<'event'> {
  return {
    id,
    name: `Home ${id} - Away ${id}`,
    start_date: '2026-09-21 18:00',
    competition_id: 10,
    season_id: 20,
    stage_id: 30,
    group_id: 0,
    sport_id: 5,
    status_id: 34,
    status_name: '2nd half',
    status_type: 'live',
    relation_status: 'in_progress',
    clock_time: 60,
    clock_status: 'running',
    bet_status: 'active',
    ut: NOW - 10,
    participants: [
      { id: id * 2, name: `Home ${id}`, counter: 1, results: [{ id: 2, value: '1' }] },
      { id: id * 2 + 1, name: `Away ${id}`, counter: 2, results: [{ id: 2, value: '0' }] },
    ],
    ...more,
  };
}

/** Returns a confirmed goal. */
export function incident(id: string, more: Partial<RestRecord<'incident'>> = {}): RestRecord<'incident'> {
  return {
    id,
    incident_id: 413,
    incident_name: 'Goal',
    participant_id: 2,
    participant_name: 'Home 1',
    subparticipant_id: null,
    subparticipant_name: null,
    event_status_id: 33,
    event_status_name: '1st half',
    event_time: '01:02',
    for: 'own',
    confirmation: 'confirmed',
    attribute_ids: [],
    properties: null,
    additional_info: {},
    important: 'yes',
    ut: NOW - 20,
    parent_id: null,
    ...more,
  };
}

/** The event that only clients without restrictions may see. */
export const HIDDEN_EVENT = 3;

/** Returns data that answers any operation with no record of twelve. What is answered from records, the rows of the contract test. */
export function stubData(changes: Partial<ProviderData> = {}): ProviderData {
  const event: ProviderData['event'] = (id, { competitions }) => {
    if (id === HIDDEN_EVENT && competitions !== null) throw new RestError('FORBIDDEN');
    return { data: '{}', total: null };
  };
  return new Proxy({ event, ...changes } as ProviderData, {
    get: (own, name) => Reflect.get(own, name) ?? (() => ({ data: '[]', total: 12 })),
  });
}

/** A client of the authenticator of tests. */
export type ContractClient = Access & { readonly secret: string };

/** Returns an authenticator that issues tokens of `lifetime` seconds to these clients. Tokens of a removed client are invalid. */
export function testAuthenticator(clients: readonly ContractClient[], lifetime = 3600): Authenticator {
  const key = Buffer.alloc(32, 'a key of tests');
  const instance = '0123456789abcdef';
  return {
    async exchange(clientId, secretKey, now) {
      const client = clients.find((one) => String(one.clientId) === clientId && one.secret === secretKey);
      if (client === undefined) return null;
      const expiration = now + lifetime;
      return { token: issueToken({ clientId: client.clientId, expiration, instance }, key), expiration };
    },
    access(token, now) {
      const claims = verifyToken(token, now, [key]);
      return clients.find((one) => one.clientId === claims?.clientId) ?? null;
    },
  };
}

/** Returns a server of the contract without a socket, and all its log lines; it needs no stop. */
export function testServer(options: Partial<RestOptions> = {}) {
  const logged: string[] = [];
  const now = options.now ?? (() => NOW);
  const authenticator = options.authenticator ?? testAuthenticator([CLIENT, NARROW]);
  const app = fastify({
    ...restServerOptions(VERSION, now),
    logger: { level: 'trace', stream: { write: (line: string) => void logged.push(line) } },
  });
  app.register(restRoutes, { data: stubData(), version: VERSION, ...options, authenticator, now });
  return {
    app,
    logged,
    get: (url: string) => app.inject(url),
    /** Issues a token of a client. */
    async token(client = CLIENT) {
      const granted = await authenticator.exchange(String(client.clientId), client.secret, now());
      if (granted === null) throw new Error('no token for this client');
      return granted.token;
    },
  };
}
