import { expect, test } from 'vitest';
import { incidentMessage } from '#ingestion/testing/messages.ts';
import { MAX_TEXT } from '#json/short-text.ts';
import { complete } from '../completions.ts';
import { listResources, readResource } from '../resources.ts';
import { changedTable, event, incident, leagues, OPEN } from '../testing/league.ts';
import { argumentsFor, callTool, refusalOf, scopeOf } from '../testing/tool-calls.ts';
import { TOOLS } from '../tools.ts';
import { matchUri, tableUri } from '../uris.ts';

const LONG = 'Göteborg 🏆 '.repeat(1_000);

/** Returns the longest run of one text, also of JSON within a text. */
function longest(data: unknown): number {
  if (typeof data === 'object' && data !== null) return Math.max(0, ...Object.values(data).map(longest));
  if (typeof data !== 'string') return 0;
  return data.startsWith('{') ? longest(JSON.parse(data)) : data.length;
}

const lengthened = <T>(data: T): T => JSON.parse(JSON.stringify(data).replaceAll('Göteborg', LONG));

/** The league with every name of its match and its table lengthened. */
function longNames() {
  const world = leagues();
  const [listed, named] = [incident(OPEN, { id: '5-400' }), event(OPEN, OPEN.match)].map(lengthened);
  world.play(incidentMessage({ id: 'long', ut: 1_790_000_500 }, listed, named));
  world.give(changedTable(OPEN, lengthened(world.views.table(OPEN.table) ?? {})));
  return scopeOf(world);
}

test.each(TOOLS.map(({ name }) => name))('%s cuts names that are too long', (name) => {
  const scope = longNames();
  expect(longest(callTool(scope, name, argumentsFor(OPEN)[name]))).toBeLessThanOrEqual(MAX_TEXT);
});

test('resources, completions and refusals cut names that are too long', () => {
  const scope = longNames();
  expect(longest(listResources([], scope, undefined))).toBeLessThanOrEqual(MAX_TEXT);
  for (const uri of [matchUri(OPEN.match), tableUri(OPEN.table)])
    expect(longest(readResource([], scope, uri))).toBeLessThanOrEqual(MAX_TEXT);
  const completed = complete(
    { ref: { type: 'ref/prompt', name: 'may-i-act' }, argument: { name: 'team', value: 'Göteborg' } },
    scope,
  );
  expect(longest(completed)).toBeLessThanOrEqual(MAX_TEXT);
  const refused = refusalOf(scope, 'get_standings', { season_id: OPEN.season, type_id: 19 });
  expect(refused.length).toBeLessThan(5 * MAX_TEXT);
});
