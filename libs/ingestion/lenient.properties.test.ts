import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { incidentObject, NO_EVENT } from '#domain/event.ts';
import { incident as incidentOf } from '#domain/testing/messages.ts';
import type { RawRecord } from '#json/records.ts';
import { eventMessage, incidentMessage } from './testing/messages.ts';
import { normalized } from './testing/normalized.ts';

type Path = readonly (string | number)[];
/** A part of a message, the path under which it is unread, and the part that is left out with it. */
type Part = { readonly at: Path; readonly path: string; readonly lost: Path; readonly isKnown: boolean };

const ESSENTIAL = new Set(['incident.id', 'incident.incident_id', 'event.id']);
const LISTS = new Set(['participants', 'results', 'stats', 'details']);
const OF_EVENT = new Set(['id', ...Object.keys(NO_EVENT)]);
const OF_INCIDENT = new Set(['action', ...Object.keys(incidentObject(incidentOf('5-1', 413)))]);
const OF_SIDE = new Set([
  ...'id counter type name short_name acronym area_id area_name area_code gender ut'.split(' '),
  ...'subparticipants lineups results stats'.split(' '),
]);
const OF_VALUE = new Set(['id', 'value', 'name', 'short_name']);
/** Fields that are records: another one is no odd value of them. */
const RECORDS = new Set(['series', 'additional_info']);

/** Yields every part of a record that is read apart, and all parts of its lists. */
function* partsOf(
  record: RawRecord,
  at: Path,
  path: string,
  isKnown: (name: string) => boolean,
): Generator<Part> {
  for (const [name, value] of Object.entries(record)) {
    const own = `${path}.${isKnown(name) ? name : '*'}`;
    const ownAt = [...at, name];
    // A side or a value without its id is left out whole.
    const isOfItem = typeof at.at(-1) === 'number' && name === 'id';
    if (!ESSENTIAL.has(own))
      yield { at: ownAt, path: own, lost: isOfItem ? at : ownAt, isKnown: isKnown(name) };
    if (!LISTS.has(name) || !Array.isArray(value)) continue;
    for (const [index, item] of value.entries()) {
      const itemAt = [...ownAt, index];
      yield { at: itemAt, path: `${own}.*`, lost: itemAt, isKnown: true };
      const known = name === 'participants' ? OF_SIDE : OF_VALUE;
      yield* partsOf(item as RawRecord, itemAt, `${own}.*`, (field) => known.has(field));
    }
  }
}

/** Returns a copy of a message's data with another value at a path; without the part at that path for `undefined`. */
function changed(message: RawRecord, at: Path, value: unknown): RawRecord {
  const copy = structuredClone(message);
  const parent = at
    .slice(0, -1)
    .reduce<unknown>((one, key) => (one as RawRecord)[key], copy.data) as RawRecord;
  const key = at.at(-1) as string;
  if (value !== undefined) parent[key] = value;
  else if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
  return copy;
}

const read = (message: RawRecord) => normalized(message, Number(message.ut) * 1_000);

/** Expects that any part of a message but its essentials may be odd: all else is read as without that part. */
function expectEveryPartLeftOutAlone(message: RawRecord): number {
  const { incident, event } = message.data as { incident?: RawRecord; event: RawRecord };
  const parts = [
    ...partsOf(incident ?? {}, ['incident'], 'incident', (name) => OF_INCIDENT.has(name)),
    ...partsOf(event, ['event'], 'event', (name) => OF_EVENT.has(name)),
  ];
  for (const { at, path, lost, isKnown } of parts) {
    const isItem = typeof at.at(-1) === 'number' || RECORDS.has(String(at.at(-1)));
    const odd = isItem ? 7 : isKnown ? { odd: {} } : Number.POSITIVE_INFINITY;
    const without =
      path === 'incident.confirmation' ? changed(message, at, 'tbd') : changed(message, lost, undefined);
    expect([at.join('.'), read(changed(message, at, odd))]).toEqual([
      at.join('.'),
      { ...read(without), unread: [path] },
    ]);
  }
  return parts.length;
}

describe('any one odd part of a message is left out alone, and named', () => {
  test('of a test', () => {
    expect(
      expectEveryPartLeftOutAlone(incidentMessage({}, { for: 'own', ut: 1_790_000_000 })),
    ).toBeGreaterThan(70);
    expect(expectEveryPartLeftOutAlone(eventMessage())).toBeGreaterThan(40);
  });

  const provider = new URL('../../../shared/provider/rabbit__message.json', import.meta.url);
  test.runIf(existsSync(provider))('of the provider’s own (../shared/provider)', () => {
    const message = JSON.parse(readFileSync(provider, 'utf8')) as RawRecord;
    expect(read(message)).toMatchObject({ event_id: 1_822_555, ut: 1_587_032_622, unread: [] });
    expect(expectEveryPartLeftOutAlone(message)).toBeGreaterThan(150);
  });

  const vectors = new URL('../../../shared/vectors-2/', import.meta.url);
  test.runIf(existsSync(vectors))('of the vectors (../shared/vectors-2)', () => {
    const files = readdirSync(vectors).filter((file) => !file.startsWith('random-'));
    for (const file of files) {
      const { messages } = JSON.parse(readFileSync(new URL(file, vectors), 'utf8')) as {
        messages: RawRecord[];
      };
      const [message] = messages.filter(({ type }) => type !== 'snapshot').slice(-1);
      if (message !== undefined) expectEveryPartLeftOutAlone(message);
    }
  });
});
