/** A record whose results cannot be written becomes a dead letter, and all other records count once. */

import { beforeEach, describe, expect, test } from 'vitest';
import { PoisonError } from '#errors/touchline-error.ts';
import { backbone } from '../../setup/backbone.ts';
import { untilTrue } from '../../support/poll.ts';
import { CountingApplication } from './counting.ts';

const connection = backbone();
/** More bytes than any topic here accepts in one record, and than one of our batches holds. */
const TOO_LARGE = 2 * 1024 * 1024;
const RECORDS = 300;
const BAD = 137;

let counting: CountingApplication;
beforeEach(async () => {
  counting = await CountingApplication.create(connection);
});

/** Returns a batch of records with keys of partition 1; those at `bad` have the key `bad`. */
function batchWith(bad: readonly number[], count = RECORDS): [string, string][] {
  return Array.from({ length: count }, (_, at) =>
    bad.includes(at) ? ['bad', String(at)] : [`k${String(at % 10).padStart(2, '0')}`, String(at)],
  );
}

/** Returns the counts of a batch, without the bad records. */
function countsOf(batch: readonly (readonly [string, string])[]): Record<string, string> {
  const counts: Record<string, number> = {};
  for (const [key] of batch) if (key !== 'bad') counts[key] = (counts[key] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).map(([key, count]) => [key, String(count)]));
}

/** Fails when a count of a key is not above the previous one. */
function expectAscending(history: readonly (readonly [string, string])[]): void {
  const last = new Map<string, number>();
  for (const [key, value] of history) {
    expect(Number(value), key).toBeGreaterThan(last.get(key) ?? 0);
    last.set(key, Number(value));
  }
}

describe('a record whose results', () => {
  test.each([
    ['are too large for their topic', (count: number) => String(count).padEnd(TOO_LARGE)],
    [
      'cannot be encoded',
      () => {
        throw new Error('as this test wants it');
      },
    ],
  ])('%s is the only one sent to dead letters', async (_what, encodeBad) => {
    const { metric, stream } = await counting.start({
      encode: (key, count) => (key === 'bad' ? encodeBad(count) : String(count)),
    });
    const batch = batchWith([BAD]);
    await counting.send(...batch);
    await untilTrue('all records', async () => (await metric('touchline_records_total')) === RECORDS);
    const history = await counting.history(counting.counts);
    expect(Object.fromEntries(history)).toEqual(countsOf(batch));
    expectAscending(history);
    expect(await counting.history(counting.letters)).toEqual([[`1/${BAD}`, `commit_failed ${BAD}`]]);
    expect(await metric('touchline_dead_letters_total', { code: 'commit_failed' })).toBe(1);
    await untilTrue('it is ready', () => stream.ready());
  });
});

test('sends a dead letter without the bytes when it exceeds the limit of its topic', async () => {
  counting = await CountingApplication.create(connection, { maxLetter: 10_000 });
  const large = 'x'.repeat(20_000);
  const { metric } = await counting.start({
    process(value) {
      if (value === large) throw new PoisonError('UNDECODABLE', 'as this test wants it');
    },
  });
  await counting.send(['a', '1'], ['a', large], ['a', '2']);
  await untilTrue('all records', async () => (await metric('touchline_records_total')) === 3);
  expect(await counting.history(counting.letters)).toEqual([['1/1', 'undecodable null']]);
});
