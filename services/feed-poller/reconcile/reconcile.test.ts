import { expect, test } from 'vitest';
import { ContractScope } from '../schedule/repeat.ts';
import { answer, testMetrics } from '../testing/answers.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { Reconciler, type ReconcilerOptions } from './reconcile.ts';
import { MatchWatch } from './watch.ts';

const T0 = 1_700_000_000;
const VERIFY_MS = 300_000;
const DAY = 86_400;
const BAD_TYPE = 'goal';
const log = { debug() {}, info() {}, warn() {}, error() {} };
const { signal } = new AbortController();

/** Returns a reconciler of the finished, verified match 9; the test sets its start and its one incident. */
function finishedMatch() {
  const clock = new FakeClock();
  const time = (): number => T0 + Math.floor(clock.now / 1000);
  const match = { start_date: '2023-11-14 20:00', incidentType: '413' };
  const event = () => ({
    id: 9,
    sport_id: 5,
    status_type: 'finished',
    status_id: 11,
    verified_result: 'yes',
    start_date: match.start_date,
  });
  const provider: ReconcilerOptions['provider'] = {
    get: async ({ operation }) => {
      if (operation === 'events.show') {
        const stage = { id: 3, group: { id: 4, event: event() } };
        return answer({ competition: { id: 1, season: { id: 2, stage } } }, time());
      }
      const incident = { id: '5-1', incident_id: match.incidentType, ut: T0 - 500 };
      return answer([incident], time(), { total_items: 1 });
    },
  };
  const watch = new MatchWatch(
    {
      unconfirmedMs: 20_000,
      silenceMs: 20_000,
      verifyMs: VERIFY_MS,
      settleMs: 75_000,
      verifyWithin: 7 * DAY,
      follows: () => true,
    },
    [],
  );
  const done: string[] = [];
  const reconciler = new Reconciler({
    provider,
    watch,
    eventPublisher: { publish: async () => {} } as unknown as ReconcilerOptions['eventPublisher'],
    catalogue: { publish: async () => {} } as unknown as ReconcilerOptions['catalogue'],
    topicWriter: {
      deliver: async ({ normalized, deadLetters }) => {
        const kinds = normalized.map(({ unreadable }) => (unreadable === null ? 'snapshot' : 'mark'));
        done.push(...kinds, ...deadLetters.map(() => 'dead letter'));
      },
      checkpoint: async (resource) => {
        done.push(resource);
      },
    },
    context: {
      clock,
      backoff: { firstMs: 500, ceilingMs: 60_000, random: () => 0.5 },
      contract: new ContractScope(),
      log,
      metrics: testMetrics(),
    },
  });
  watch.onEvent(event(), time(), clock.now);
  /** Makes the checks that are due within `ms`, in steps of ten seconds. Returns their number. */
  const checksWithin = async (ms: number): Promise<number> => {
    let checks = 0;
    for (const end = clock.now + ms; clock.now < end; clock.now += 10_000) {
      // The schedule lists the match at every step.
      watch.onEvent(event(), time(), clock.now);
      const id = watch.claim(clock.now);
      if (id === null) continue;
      checks += 1;
      await reconciler.check(id, signal);
    }
    return checks;
  };
  return { match, done, checksWithin };
}

test('checks a finished match with an unreadable incident list until the list is readable', async () => {
  const { match, done, checksWithin } = finishedMatch();
  match.incidentType = BAD_TYPE;
  expect(await checksWithin(12 * VERIFY_MS)).toBe(12);
  // The same list becomes a dead letter only once.
  expect(done).toEqual(['mark', 'dead letter']);
  match.incidentType = '413';
  await checksWithin(2 * VERIFY_MS);
  expect(done).toEqual(['mark', 'dead letter', 'snapshot', 'finished/9']);
  expect(await checksWithin(12 * VERIFY_MS)).toBe(0);
});

test('verifies a match with an unreadable list when it began longer ago than VERIFY_DAYS', async () => {
  const { match, done, checksWithin } = finishedMatch();
  match.incidentType = BAD_TYPE;
  await checksWithin(VERIFY_MS);
  match.start_date = '2023-11-01 20:00';
  await checksWithin(2 * VERIFY_MS);
  expect(done).toEqual(['mark', 'dead letter', 'finished/9']);
});
