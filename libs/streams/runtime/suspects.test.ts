import { describe, expect, test } from 'vitest';
import { PoisonError } from '#errors/touchline-error.ts';
import { Suspects } from './suspects.ts';

const failure = new Error('as this test wants it');

describe('a record that cannot be processed', () => {
  test('is retried once before it becomes a dead letter, whatever else fails, until it is committed', () => {
    const suspects = new Suspects();
    suspects.processingFailed(5, failure);
    expect(suspects.rejectionOf(5)).toBeNull();
    for (const offset of [5, 6, 6]) suspects.processingFailed(offset, failure);
    const error = { code: 'PROCESSING_FAILED', cause: failure };
    for (const offset of [5, 6]) expect(suspects.rejectionOf(offset)).toMatchObject({ error });
    suspects.committed(6);
    suspects.processingFailed(5, failure);
    expect(suspects.rejectionOf(5)).toBeNull();
  });
});

describe('a batch that cannot be committed', () => {
  /** Commits batches from 0 to `end` like a task; record `bad` fails. Returns the dead letter's offset and the attempts. */
  function find(end: number, bad: number, error: unknown = failure): { found: number | null; tries: number } {
    const suspects = new Suspects();
    let tries = 0;
    let found: number | null = null;
    for (let next = 0; next < end; ) {
      const count = Math.min(end - next, suspects.maxRecordsFrom(next));
      const last = next + count - 1;
      const offsets = Array.from({ length: count }, (_, at) => next + at);
      const letters = offsets.filter((offset) => suspects.rejectionOf(offset) !== null);
      tries += 1;
      if (bad >= next && bad <= last && !letters.includes(bad)) {
        suspects.commitFailed({ first: next, last, count }, error, null);
        continue;
      }
      found = letters[0] ?? found;
      next = last + 1;
      suspects.committed(next);
    }
    return { found, tries };
  }

  test.each([0, 1, 499, 998, 999])('sends only record %d of 1,000 to the dead letters', (bad) => {
    const { found, tries } = find(1_000, bad);
    expect(found).toBe(bad);
    expect(tries).toBeLessThan(30);
  });

  test('keeps the reason that the processor gave', () => {
    const suspects = new Suspects();
    suspects.commitFailed(only(3), new PoisonError('STATE_TOO_LARGE', 'too large'), null);
    expect(suspects.rejectionOf(3)).toMatchObject({ error: { code: 'STATE_TOO_LARGE' }, isBare: false });
    suspects.commitFailed(only(4), failure, null);
    expect(suspects.rejectionOf(4)).toMatchObject({ error: { code: 'COMMIT_FAILED', cause: failure } });
  });

  test('sends a dead letter without the bytes when one with them cannot be committed', () => {
    const suspects = new Suspects();
    const letter = new PoisonError('UNDECODABLE', 'as this test wants it');
    suspects.commitFailed(only(3), failure, letter);
    const error = { code: 'UNDECODABLE', cause: letter };
    expect(suspects.rejectionOf(3)).toMatchObject({ error, isBare: true });
    expect(suspects.takeProgress()).toBe(true);
    suspects.commitFailed(only(3), failure, letter);
    expect(suspects.takeProgress()).toBe(false);
  });

  const only = (offset: number) => ({ first: offset, last: offset, count: 1 });
});

test('a transaction that takes longer than its timeout is retried with half of its records, down to one, which never becomes a dead letter', () => {
  const suspects = new Suspects();
  suspects.tookTooLong({ first: 10, last: 19, count: 10 });
  expect(suspects.maxRecordsFrom(10)).toBe(5);
  expect(suspects.takeProgress()).toBe(true);
  suspects.tookTooLong({ first: 10, last: 11, count: 2 });
  expect(suspects.maxRecordsFrom(10)).toBe(1);
  suspects.takeProgress();
  suspects.tookTooLong({ first: 10, last: 10, count: 1 });
  expect([suspects.rejectionOf(10), suspects.takeProgress()]).toEqual([null, false]);
});
