import { existsSync, readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '#json/values.ts';
import { catalogueRecord, tableRecord } from '../../testing/records.ts';
import { askApi, ViewsWorld } from '../../testing/world.ts';

const PROVIDER = new URL('../../../../../shared/provider/', import.meta.url);
const present = existsSync(PROVIDER);

function fixture(name: string): JsonObject {
  return JSON.parse(readFileSync(new URL(`${name}.json`, PROVIDER), 'utf8')).api.data;
}

/** Each endpoint with the file of its provider's example. */
const SHOWN: readonly (readonly [endpoint: string, url: string, file: string])[] = [
  ['/v2/sports', '/v2/sports', 'Sports__sports'],
  ['/v2/sports/{id}', '/v2/sports/5', 'Sports__sports_1'],
  ['/v2/areas', '/v2/areas', 'Areas__areas'],
  ['/v2/languages', '/v2/languages', 'Languages__languages'],
  ['/v2/statuses', '/v2/statuses', 'Statuses__statuses'],
  ['/v2/incidents', '/v2/incidents', 'Incidents__incidents'],
  ['/v2/standings-types', '/v2/standings-types?sport_id=5', 'Standings__standings_types'],
  ['/v2/standings', '/v2/standings', 'Standings__standings'],
  ['/v2/competitions', '/v2/competitions', 'Competitions__competitions'],
  ['/v2/events', '/v2/events?season_id=25528', 'Events__events'],
  ['/v2/events/{id}', '/v2/events/1822555', 'Events__events_1799408'],
  ['/v2/livescore', '/v2/livescore?date_from=2017-12-07', 'Livescore__livescore'],
  ['/v2/feed', '/v2/feed?timestamp=1512652000&timestamp_to=1512654000', 'Feeds__feeds'],
  ['/v2/feed/{id}', '/v2/feed/1822555', 'Feeds__feeds_1822555'],
];

/** Returns every field of a value as a path, with [] for the items of lists. */
function fields(value: unknown, path = ''): Set<string> {
  if (Array.isArray(value)) return new Set(value.flatMap((item) => [...fields(item, `${path}[]`)]));
  if (typeof value !== 'object' || value === null) return new Set();
  return new Set(
    Object.entries(value).flatMap(([key, inner]) => {
      const own = path === '' ? key : `${path}.${key}`;
      return [own, ...fields(inner, own)];
    }),
  );
}

/** Returns a path as docs/reference/rest-answers.md writes it. */
function shortened(path: string): string {
  return path.replace(/^competitions?[\s\S]*(group\.event|groups\[\]\.events\[\])/, 'event');
}

let app: FastifyInstance;

/** Plays the provider's own messages and catalogues, as the poller writes them. */
beforeEach(async () => {
  if (!present) return;
  const world = new ViewsWorld();
  world.play(...(fixture('Feeds__feeds') as unknown as JsonObject[]));
  const { competition } = fixture('Events__events_1799408') as { competition: JsonObject };
  const { season, seasons: _, ...ofCompetition } = competition as { season: JsonObject; seasons: unknown };
  const { stage, ...ofSeason } = season as { stage: JsonObject };
  const { group: __, ...ofStage } = stage;
  world.give(
    catalogueRecord('competition', 6628, null, ofCompetition),
    catalogueRecord('season', 25528, 6628, ofSeason),
    catalogueRecord('stage', 0, 25528, ofStage),
    tableRecord(71),
  );
  app = await world.server();
});

/** Returns the rows of docs/reference/rest-answers.md between its marks: fields by endpoint. */
function unknowable(): Map<string, string[]> {
  const page = readFileSync(new URL('../../../../docs/reference/rest-answers.md', import.meta.url), 'utf8');
  const [, table = ''] = /<!-- unknowable -->([\s\S]*)<!-- end unknowable -->/.exec(page) ?? [];
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  const known = new Map<string, string[]>();
  for (const row of rows) {
    const [, endpoints = '', names = ''] = row.split('|');
    const paths = [...names.matchAll(/`([^`]+)`/g)].map(([, path]) => path ?? '');
    for (const [, endpoint = ''] of endpoints.matchAll(/`([^`]+)`/g)) {
      known.set(endpoint, [...(known.get(endpoint) ?? []), ...paths]);
    }
  }
  return known;
}

test.skipIf(!present).each(SHOWN)(
  '%s has every field of the provider’s example, except those of docs/reference/rest-answers.md',
  async (endpoint, url, file) => {
    const ours = fields((await askApi(app, url)).data);
    const missing = [...fields(fixture(file))].filter((path) => !ours.has(path)).map(shortened);
    expect(missing.sort()).toEqual((unknowable().get(endpoint) ?? []).sort());
  },
);
