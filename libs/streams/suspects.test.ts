import { describe, expect, test } from 'vitest';
import { PoisonError } from './processor.ts';
import { Suspects } from './suspects.ts';

const failure = new Error('as this test wants it');

describe('a record that cannot be processed', () => {
  test('is processed once more before it is given up', () => {
    const suspects = new Suspects();
    suspects.processingFailed(5, failure);
    expect(suspects.verdictOn(5)).toBeNull();
    suspects.processingFailed(5, failure);
    expect(suspects.verdictOn(5)).toMatchObject({ code: 'processing_failed', cause: failure });
    expect(suspects.verdictOn(6)).toBeNull();
  });

  test('is forgotten once it is committed', () => {
    const suspects = new Suspects();
    suspects.processingFailed(5, failure);
    suspects.committed(6);
    suspects.processingFailed(5, failure);
    expect(suspects.verdictOn(5)).toBeNull();
  });
});

describe('a batch that cannot be committed', () => {
  /** Commits batches from 0 to `end` as a task would; `bad` cannot be. Gives the dead letter's offset and the tries. */
  function find(end: number, bad: number, error: unknown = failure): { found: number | null; tries: number } {
    const suspects = new Suspects();
    let tries = 0;
    let found: number | null = null;
    for (let next = 0; next < end; ) {
      const count = Math.min(end - next, suspects.mostFrom(next));
      const last = next + count - 1;
      const letters = Array.from({ length: count }, (_, at) => next + at).filter(
        (offset) => suspects.verdictOn(offset) !== null,
      );
      tries += 1;
      if (bad >= next && bad <= last && !letters.includes(bad)) {
        suspects.commitFailed({ first: next, last, count }, error);
        continue;
      }
      found = letters[0] ?? found;
      next = last + 1;
      suspects.committed(next);
    }
    return { found, tries };
  }

  test.each([0, 1, 499, 998, 999])('gives up record %d of 1,000 and no other, in few tries', (bad) => {
    const { found, tries } = find(1_000, bad);
    expect(found).toBe(bad);
    expect(tries).toBeLessThan(30);
  });

  test('keeps the reason that a processor gave', () => {
    const suspects = new Suspects();
    suspects.commitFailed({ first: 3, last: 3, count: 1 }, new PoisonError('state_too_large', 'too large'));
    expect(suspects.verdictOn(3)).toMatchObject({ code: 'state_too_large' });
    suspects.commitFailed({ first: 4, last: 4, count: 1 }, failure);
    expect(suspects.verdictOn(4)).toMatchObject({ code: 'commit_failed', cause: failure });
  });
});
