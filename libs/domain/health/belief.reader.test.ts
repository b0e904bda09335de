import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MatchReader } from '#reader/index.ts';
import { beliefInMatch, type HealthRecord } from './belief.ts';

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
      const pairs: { source: HealthRecord; match: HealthRecord }[] = [];
      for (const [name, source, match] of all) {
        if (source !== null) reader.applyHealth(name, { ...source, source: name, event_id: null });
        if (match !== null)
          reader.applyHealth(`${name}/${EVENT}`, { ...match, source: name, event_id: EVENT });
        if (source !== null && match !== null)
          pairs.push({ source: { ...source, source: name }, match: { ...match, source: name } });
      }
      expect(reader.guard(EVENT, now).feed).toEqual(beliefInMatch(pairs, now));
    }),
    { numRuns: 2_000 },
  );
});
