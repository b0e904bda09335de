/** A small world with some records of each kind, and a server of the contract that serves it. */
import fastify, { type FastifyInstance, type LightMyRequestResponse } from 'fastify';
import type { RestEvent, RestIncident } from '../records.ts';
import { type RestOptions, restRoutes } from '../routes.ts';
import { restServerOptions } from '../server-options.ts';
import {
  emptyWorld,
  type MemoryClient,
  type MemoryWorld,
  memoryGatekeeper,
  memoryProvider,
} from './memory.ts';

/** 2026-09-21 14:13:20 UTC. */
export const NOW = 1_790_000_000;

const VERSION = '2.0.0';

/** Full access. */
export const CLIENT: MemoryClient = {
  clientId: 1,
  secret: 'open sesame',
  competitions: null,
  operations: null,
};

/** Access to one competition, without the reduced live payload. */
export const NARROW: MemoryClient = {
  clientId: 2,
  secret: 'a crack',
  competitions: new Set([10]),
  operations: new Set(['events.index', 'events.show', 'livescore.index']),
};

/** Returns an event of today in competition 10. */
export function event(id: number, more: Partial<RestEvent> = {}): RestEvent {
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
export function incident(id: string, more: Partial<RestIncident> = {}): RestIncident {
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

/** Returns a world with some records of each kind. */
export function smallWorld(): MemoryWorld {
  const world = emptyWorld();
  const sport = { name: 'Soccer', url: 'soccer', active: 'yes', has_timer: 'yes' };
  const type = { type_id: 2, type_name: 'League standings' };
  const table = { ...type, name: 'Table', object_type: 'season', object_id: 20 };
  const definition = {
    statuses: [],
    results: [],
    stats: {},
    details: [],
    incidents: [],
    standings_types: [],
  };
  const ids = [5, ...Array.from({ length: 11 }, (_, index) => 100 + index)];
  world.sports.push(...ids.map((id) => ({ id, ...sport, ...definition })));
  world.areas.push({ id: 1, name: 'England' });
  world.languages.push({ id: 1, name: 'English' });
  world.statuses.push({ id: 34, name: '2nd half', ut: NOW - 100 }, { id: 33, name: '1st half', ut: NOW });
  const flags = { game_break: 'no', important: 'yes', important_for_trader: 'yes' };
  world.incidentTypes.push({ id: 413, name: 'Goal', ...flags });
  world.standingsTypes.push({ id: 2, name: 'League standings', ...type, columns: [{ id: 1, code: 'mp' }] });
  world.standingsList.push({ id: 7, ...table });
  world.standings.push({ id: 7, ...table, columns: [], groups: [{ id: '', name: '', participants: [] }] });
  world.competitions.push({ id: 10, name: 'Cup', short_name: 'C' });
  world.seasons.push({ id: 20, name: '2026', competition_id: 10 });
  world.stages.push({ id: 30, name: 'Final', competition_id: 10, season_id: 20 });
  world.events.push(event(1), event(2), event(3, { competition_id: 11, season_id: 0, stage_id: 0 }));
  world.incidents.set(1, [incident('5-2'), incident('5-10', { confirmation: 'tbd' })]);
  world.messages.push(
    { id: 1, source: 1, ut: NOW - 60, type: 'event', data: { event: { id: 1 } } },
    { id: 2, source: 1, ut: NOW, type: 'event', data: { event: { id: 2 } } },
  );
  return world;
}

/** A server of the contract without a socket. */
export type TestServer = {
  readonly app: FastifyInstance;
  readonly world: MemoryWorld;
  /** All log lines. */
  readonly logged: string[];
  /** Requests a path with GET. */
  get(url: string): Promise<LightMyRequestResponse>;
  /** Issues a token of a client. */
  token(client?: MemoryClient): Promise<string>;
};

/** Creates a test server; it needs no stop. */
export function testServer(options: Partial<RestOptions> = {}): TestServer {
  const world = smallWorld();
  const logged: string[] = [];
  const now = options.now ?? (() => NOW);
  const gatekeeper = options.gatekeeper ?? memoryGatekeeper([CLIENT, NARROW]);
  const app = fastify({
    ...restServerOptions(VERSION, now),
    logger: { level: 'trace', stream: { write: (line: string) => void logged.push(line) } },
  });
  app.register(restRoutes, { data: memoryProvider(world), version: VERSION, ...options, gatekeeper, now });
  return {
    app,
    world,
    logged,
    get: (url) => app.inject(url),
    async token(client = CLIENT) {
      const granted = await gatekeeper.exchange(String(client.clientId), client.secret, now());
      if (granted === null) throw new Error('no token for this client');
      return granted.token;
    },
  };
}
