import { expect, test } from 'vitest';
import type { CatalogueRecord } from '#records/types.ts';
import type { CatalogueItem, Raw } from '../provider/tree.ts';
import { Catalogue } from './catalogue.ts';

function catalogue(records: CatalogueRecord[] = []) {
  const written: CatalogueRecord[] = [];
  const topicWriter = {
    catalogue: async (records: readonly CatalogueRecord[]) => void written.push(...records),
  };
  return { written, made: new Catalogue(records, topicWriter) };
}

const sport = (body: Raw): CatalogueItem => ({
  kind: 'sport',
  id: '5',
  parentId: null,
  body: { id: 5, ...body },
});

test('writes a record once, as canonical JSON', async () => {
  const { made, written } = catalogue();
  await made.publish([sport({ name: 'Soccer', ut: 10 }), sport({ name: 'Soccer', ut: 10 })], 99);
  await made.publish([sport({ ut: 10, name: 'Soccer' })], 100);
  const body = '{"id":5,"name":"Soccer","ut":10}';
  expect(written).toEqual([{ kind: 'sport', id: '5', parent_id: null, ut: 10, body }]);
});

test('reports a new competition, except those of the first read', async () => {
  let named = 0;
  const made = new Catalogue([], { catalogue: async () => {} }, () => {
    named += 1;
  });
  const competition = (id: number, name: string): CatalogueItem => ({
    kind: 'competition',
    id: String(id),
    parentId: null,
    body: { id, name },
  });
  await made.publish([competition(1, 'League'), competition(2, 'Cup')], 1);
  await made.publish([competition(1, 'The league'), sport({ ut: 2 })], 2);
  expect(named).toBe(0);
  await made.publish([competition(3, 'Women’s league')], 3);
  expect(named).toBe(1);
});

test('does not write a record that the topic already has', async () => {
  const { made, written } = catalogue([
    { kind: 'sport', id: '5', parent_id: null, ut: 10, body: '{"id":5,"ut":10}' },
  ]);
  await made.publish([sport({ ut: 10 })], 99);
  expect(written).toEqual([]);
  expect(made.has('sport')).toBe(true);
  expect(made.has('spo')).toBe(false);
});

test('applies a later record and ignores an earlier one', async () => {
  const { made, written } = catalogue();
  await made.publish([sport({ name: 'Soccer', ut: 10 })], 99);
  await made.publish([sport({ name: 'Football', code: 'fb', ut: 9 })], 99);
  await made.publish([sport({ name: 'Association football', ut: 11 })], 99);
  expect(written.map(({ body }) => JSON.parse(body))).toEqual([
    { id: 5, name: 'Soccer', ut: 10 },
    { id: 5, name: 'Association football', ut: 11 },
  ]);
});

test('adds fields from a record of the same time, and ignores another type of the same value', async () => {
  const { made, written } = catalogue();
  await made.publish([sport({ area_id: 14, ut: 10 })], 99);
  await made.publish([sport({ area_id: '14', ut: '10' })], 99);
  await made.publish([sport({ area_id: '15', active: 'yes', ut: 10 })], 99);
  expect(written.map(({ body }) => JSON.parse(body))).toEqual([
    { id: 5, area_id: 14, ut: 10 },
    { id: 5, area_id: 14, ut: 10, active: 'yes' },
  ]);
});

test('uses the time of the answer for a record without `ut`, and writes it when it changes', async () => {
  const { made, written } = catalogue();
  await made.publish([sport({ n: 1 })], 100);
  await made.publish([sport({ n: '1' })], 101);
  await made.publish([sport({ n: 2 })], 102);
  expect(written.map(({ ut }) => ut)).toEqual([100, 102]);
});

test('writes each change once when reads are concurrent', async () => {
  const { made, written } = catalogue();
  await Promise.all([made.publish([sport({ ut: 1 })], 1), made.publish([sport({ ut: 1 })], 1)]);
  expect(written).toHaveLength(1);
});

test('finds the current seasons of the followed sports and competitions', async () => {
  const { made } = catalogue();
  const entry = (kind: string, id: number, parentId: string | null, body: Raw): CatalogueItem => ({
    kind,
    id: String(id),
    parentId,
    body,
  });
  await made.publish(
    [
      entry('competition', 1, null, { sport_id: '5' }),
      entry('competition', 2, null, { sport_id: 5 }),
      entry('competition', 3, null, { sport_id: 6 }),
      entry('season', 10, '1', { actual: 'yes' }),
      entry('season', 11, '1', { actual: 'no' }),
      entry('season', 20, '2', { actual: 'yes' }),
      entry('season', 30, '3', { actual: 'yes' }),
    ],
    1,
  );
  expect(made.actualSeasons(new Set([5]), new Set())).toEqual([10, 20]);
  expect(made.actualSeasons(new Set([5]), new Set([2]))).toEqual([20]);
  expect(made.actualSeasons(new Set([6]), new Set())).toEqual([30]);
});
