import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import { SETTINGS, SETTLE, T0, TestFeed } from './testing/followed-feed.ts';

const seconds = fc.oneof(fc.integer({ min: 0, max: 25 }), fc.integer({ min: 0, max: 120 }));
const step = fc.oneof(
  fc.record({ kind: fc.constant('time' as const), seconds }),
  fc.record({
    kind: fc.constant('message' as const),
    // Delay until a message becomes visible, within the settle margin.
    late: fc.oneof(fc.constant(SETTLE), fc.integer({ min: 0, max: SETTLE })),
  }),
  fc.record({ kind: fc.constant('round' as const), windows: fc.integer({ min: 1, max: 8 }) }),
  fc.constant({ kind: 'restart' as const }),
);

test('misses no message and never has a checkpoint ahead of it, whichever operations fail', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.array(fc.boolean(), { maxLength: 60 }),
      fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 200 })),
      fc.integer({ min: 0, max: 20 }),
      async (steps, failures, window, pace) => {
        const feed = new TestFeed({ ...SETTINGS, window }, T0);
        feed.checkpoints.push(T0);
        feed.pace = pace;
        let done = 0;
        feed.fails = () => {
          done += 1;
          return failures[done] === true;
        };
        let id = 0;
        for (const one of steps) {
          if (one.kind === 'time') feed.now += one.seconds;
          else if (one.kind === 'round') await feed.round(one.windows);
          else if (one.kind === 'restart') feed.restart();
          else {
            id += 1;
            feed.messages.push({ id, ut: feed.now, visibleAt: feed.now + one.late });
          }
        }
        feed.fails = () => false;
        feed.pace = 0;
        feed.now += SETTLE + 1;
        // The first window may be the rest of an earlier one.
        await feed.round();
        await feed.round();
        const wanted = feed.messages.map((message) => message.id);
        expect([...new Set(feed.published)].toSorted((a, b) => a - b)).toEqual(wanted);
        expect(feed.missed).toEqual([]);
        expect(feed.checkpoints).toEqual(feed.checkpoints.toSorted((a, b) => a - b));
      },
    ),
    { numRuns: rounds(2_000) },
  );
});
