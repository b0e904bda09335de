import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MatchReader } from '#reader/index.ts';
import { HealthTable } from './belief.ts';

const EVENT = 7;
const STATES = ['alive', 'stale', 'down', 'recovering', 'recovered', 'ended'] as const;
const time = fc.integer({ min: 0, max: 10 });

const record = fc.record({
  state: fc.constantFrom(...STATES),
  reason: fc.constantFrom(null, 'silence', 'network'),
  since: time,
  term: fc.integer({ min: 1, max: 2 }),
  valid_until: fc.option(time),
});

/** Of each source its own record and that of the match under it, where they are there. */
const sources = fc.uniqueArray(
  fc.tuple(fc.constantFrom('feed', 'webhook', 'other'), fc.option(record), fc.option(record)),
  { selector: ([source]) => source },
);

test('the package for readers believes what the monitor’s own rule believes', () => {
  fc.assert(
    fc.property(sources, time, (all, now) => {
      const reader = new MatchReader();
      const table = new HealthTable();
      for (const [name, source, match] of all) {
        const records = [
          [name, source && { ...source, source: name, event_id: null }],
          [`${name}/${EVENT}`, match && { ...match, source: name, event_id: EVENT }],
        ] as const;
        for (const [key, value] of records) {
          reader.applyHealth(key, value);
          table.apply(key, value);
        }
      }
      expect(reader.guard(EVENT, now).feed).toEqual(table.match(EVENT, now));
    }),
    { numRuns: 2_000 },
  );
});
