import { expect, test } from 'vitest';
import { type CatalogueItem, type ListedKind, NO_ENTRY, readCatalogueItem } from '#ingestion/catalogue.ts';
import type { CatalogueRecord } from '#records/types.ts';
import type { Raw } from '../provider/tree.ts';
import { createCatalogue } from './catalogue.ts';

function catalogue(records: CatalogueRecord[] = []) {
  const written: CatalogueRecord[] = [];
  const unread: string[] = [];
  const topicWriter = {
    catalogue: async (records: readonly CatalogueRecord[], paths: Iterable<string>) => {
      written.push(...records);
      unread.push(...paths);
    },
  };
  return { written, unread, made: createCatalogue(records, topicWriter) };
}

const item = (kind: ListedKind, raw: Raw, parentId: string | null = null) =>
  readCatalogueItem(kind, raw, parentId) as CatalogueItem;
const sport = (raw: Raw) => item('sport', { id: 5, ...raw });
const area = (raw: Raw) => item('area', { id: 5, ...raw });

test('writes a record once, in its types, and names what it leaves out', async () => {
  const { made, written, unread } = catalogue();
  const raw = { name: 'Soccer', active: 'yes', has_timer: {}, more: { b: 1, a: '2' }, ut: '10' };
  await made.publish([sport(raw), sport(raw)], 99);
  await made.publish([sport({ ...raw, active: true, ut: 10 })], 100);
  expect(written).toEqual([
    {
      ...NO_ENTRY,
      kind: 'sport',
      id: '5',
      parent_id: null,
      ut: 10,
      name: 'Soccer',
      sport: { url: null, active: true, has_timer: null },
      other: { more: '{"a":"2","b":1}' },
    },
  ]);
  expect(unread).toEqual(['catalogue.sport.has_timer']);
});

test('does not write a record that the topic already has', async () => {
  const { unread: _, nulls: __, ...known } = sport({ ut: 10 });
  const { made, written } = catalogue([{ ...known, ut: 10 }]);
  await made.publish([sport({ ut: 10 })], 99);
  expect(written).toEqual([]);
  expect(made.has('sport')).toBe(true);
  expect(made.has('spo')).toBe(false);
});

test('applies what a later record has, also its nulls, and ignores an earlier one', async () => {
  const { made, written } = catalogue();
  await made.publish([area({ name: 'Wales', area_code: 'WAL', more: 1, ut: 10 })], 99);
  await made.publish([area({ name: 'Cymru', parent_area_id: 7, ut: 9 })], 99);
  await made.publish([area({ name: 'Cymru', ut: 11 })], 99);
  await made.publish([area({ area_code: null, more: null, ut: 12 })], 99);
  expect(written.map(({ name, area, other }) => ({ name, ...area, ...other }))).toEqual([
    { name: 'Wales', area_code: 'WAL', parent_area_id: null, more: '1' },
    { name: 'Cymru', area_code: 'WAL', parent_area_id: null, more: '1' },
    { name: 'Cymru', area_code: null, parent_area_id: null, more: 'null' },
  ]);
});

test('adds fields from a record of the same time, and ignores another form of the same value', async () => {
  const { made, written } = catalogue();
  const competition = (raw: Raw) => item('competition', { id: 5, ...raw });
  await made.publish([competition({ area_id: 14, ut: 10 })], 99);
  await made.publish([competition({ area_id: '14', ut: '10' })], 99);
  await made.publish([competition({ area_id: '15', slug: 's', ut: 10 })], 99);
  const fields = written.map(({ competition: of }) => `${of?.area_id} ${of?.slug}`);
  expect(fields).toEqual(['14 null', '14 s']);
});

test('uses the time of the answer for a record without `ut`, and writes it when it changes', async () => {
  const { made, written } = catalogue();
  await made.publish([sport({ url: 1 })], 100);
  await made.publish([sport({ url: '1' })], 101);
  await made.publish([sport({ url: 2 })], 102);
  expect(written.map(({ ut }) => ut)).toEqual([100, 102]);
});

test('writes each change once when reads are concurrent', async () => {
  const { made, written } = catalogue();
  await Promise.all([made.publish([sport({ ut: 1 })], 1), made.publish([sport({ ut: 1 })], 1)]);
  expect(written).toHaveLength(1);
});

test('finds the current seasons of the followed sports and competitions', async () => {
  const { made } = catalogue();
  const competition = (id: number, sport_id: unknown) => item('competition', { id, sport_id });
  const season = (id: number, parentId: string, actual: string) => item('season', { id, actual }, parentId);
  await made.publish([competition(1, '5'), competition(2, 5), competition(3, 6)], 1);
  await made.publish([season(10, '1', 'yes'), season(11, '1', 'no')], 1);
  await made.publish([season(20, '2', 'yes'), season(30, '3', 'yes')], 1);
  expect(made.actualSeasons(new Set([5]), new Set())).toEqual([10, 20]);
  expect(made.actualSeasons(new Set([5]), new Set([2]))).toEqual([20]);
  expect(made.actualSeasons(new Set([6]), new Set())).toEqual([30]);
});
