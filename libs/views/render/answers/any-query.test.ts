import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ALL_OPERATIONS, operationNamed } from '#contract/rest/operations.ts';
import { eventMessage, incidentMessage } from '#ingestion/testing/messages.ts';
import { rounds } from '../../../../test/support/rounds.ts';
import { EVERYTHING, ViewsWorld } from '../../testing/world.ts';

const VALUES = [
  '',
  '0',
  '1',
  '5',
  '50',
  '500',
  '7000001',
  '25528',
  '6628',
  '1790000000',
  '-1',
  '1e3',
  'x',
  "'",
  '%',
];
const WORDS = [
  'yes',
  'no',
  'live',
  'season',
  'home',
  'incident',
  'tbd',
  'occurred_at',
  'desc',
  '2026-08-15',
  '1,2',
];
const value = fc.constantFrom(...VALUES, ...WORDS);
const operation = fc.constantFrom(...ALL_OPERATIONS.filter(({ name }) => name !== 'oauth'));

/** A request of an operation with any id, parameters and values. */
const request = operation.chain(({ name, path, params }) =>
  fc.record({
    name: fc.constant(name),
    path: fc.constantFrom(...VALUES).map((id) => path.replace('{id}', encodeURIComponent(id || '9'))),
    query: fc.dictionary(fc.constantFrom('other', ...Object.keys(params.shape)), value, { maxKeys: 5 }),
    token: fc.constantFrom('t', 'nine', 'none'),
  }),
);

test('answers every query as its contract says, or with one of its errors', async () => {
  const world = new ViewsWorld();
  const app = await world.server({ t: EVERYTHING, nine: { ...EVERYTHING, competitions: new Set([9]) } });
  world.play(
    incidentMessage(),
    eventMessage({}, { id: 5, competition_id: 9, stage_id: null, season_id: null }),
  );
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(request, async ({ name, path, query, token }) => {
      const answer = await app.inject({ url: path, query: { ...query, token } });
      statuses.add(answer.statusCode);
      if (answer.statusCode === 200) {
        expect(operationNamed(name).data.safeParse(answer.json().api.data).error).toBeUndefined();
      } else {
        expect([400, 401, 403, 404]).toContain(answer.statusCode);
        expect(answer.json().api.error.message).toEqual(expect.any(String));
      }
    }),
    { numRuns: rounds(2_000) },
  );
  expect([...statuses].sort()).toEqual([200, 400, 401, 403, 404]);
});
