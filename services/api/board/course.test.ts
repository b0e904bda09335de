/** The course of a match, compared at each second with what a reader of the topics could know then. */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { BEGIN, LOOK_MS, PlayedMonitor, readerLooks, report } from '#domain/testing/health.ts';
import type { FeedHealth, MatchState } from '#records/types.ts';
import type { CourseStretch } from '#story/course.ts';
import { NO_HALTS } from '#trading/halts.ts';
import { type Permission, tradingOf } from '#trading/trading.ts';
import { matchDetails } from './pages/match-page.ts';
import { PlayedViews } from './testing/playing.ts';
import { firstHalf, incident, SERBIA_BRAZIL as match, playSerbiaBrazil } from './testing/scenes.ts';

vi.setConfig({ testTimeout: 120_000 });

const NOW = 1_790_000_000;

type Step =
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'restart'; readonly ms: number }
  | { readonly kind: 'report'; readonly state: 'up' | 'down' | 'recovering' }
  /** A message of the match that the provider wrote `late` seconds before. */
  | { readonly kind: 'message'; readonly says: keyof typeof SAYS; readonly late: number };

/** The fields of a message, and its incident. `n` counts the messages. */
const SAYS = {
  play: () => [firstHalf(20), incident(0, 429, '00:00')],
  break: () => [{ status_id: 9, status_type: 'live', clock_status: 'stopped' }],
  end: () => [{ status_id: 11, status_type: 'finished', clock_status: 'stopped' }],
  goal: (n: number) => [firstHalf(20), incident(n, 413, '19:01', { participant_id: match.home[0] })],
  pending: (n: number) => [
    firstHalf(20),
    incident(n, 413, '19:01', { participant_id: match.home[0], confirmation: 'tbd' }),
  ],
  cancelled: (n: number) => [firstHalf(20), incident(n, 424, '19:30', { participant_id: match.home[0] })],
} satisfies Record<string, (n: number) => readonly object[]>;

const timed = <K extends 'wait' | 'restart'>(kind: K, min: number, max: number) =>
  fc.record({ kind: fc.constant(kind), ms: fc.integer({ min, max }) });

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: timed('wait', 1, 30_000) },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('message' as const),
        says: fc.constantFrom('play', 'play', 'break', 'end', 'goal', 'pending', 'cancelled'),
        late: fc.constantFrom(0, 0, 0, 57),
      }) as fc.Arbitrary<Extract<Step, { kind: 'message' }>>,
    },
    { weight: 1, arbitrary: timed('restart', 0, 20_000) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('report' as const),
        state: fc.constantFrom('up', 'down', 'recovering'),
      }) as fc.Arbitrary<Extract<Step, { kind: 'report' }>>,
    },
  ),
  { maxLength: 25 },
);

/** A match whose messages and feed health a test plays, with everything that a reader of the topics gets of it. */
class Evening {
  readonly played = new PlayedViews();
  readonly monitor = new PlayedMonitor();
  readonly states: { readonly at: number; readonly state: MatchState }[] = [];
  #messages = 0;

  do(step: Step): void {
    if (step.kind !== 'message') {
      this.monitor.do(step.kind === 'report' ? report(step.state) : step);
      return;
    }
    const { now } = this.monitor;
    this.#messages += 1;
    const [event = {}, record] = SAYS[step.says](this.#messages);
    const message = this.played.message(match, Math.floor(now / 1000) - step.late, event, record);
    const records = this.played.recordsOf({ ...message, received_at: now });
    this.played.give(...records);
    for (const { topic, value } of records)
      if (topic === 'match-state' && value !== null) this.states.push({ at: now, state: value });
    this.monitor.send(message);
    this.monitor.do({ kind: 'apply' });
  }

  get records(): FeedHealth[] {
    return [...this.monitor.topic.values()];
  }
}

/** Returns what a reader of the topics may do at each second. */
function looks({ monitor: { log, now }, states }: Evening): [at: number, permission: Permission][] {
  const seen: [number, Permission][] = [];
  for (const [at, health] of readerLooks(log, now - 1)) {
    const known = states.findLast((one) => one.at <= at)?.state;
    const feed = health.match(match.id, { wall: at, steady: at });
    if (known !== undefined) seen.push([at, tradingOf(known, feed, NO_HALTS).permission]);
  }
  return seen;
}

const permissionAt = (stretches: readonly CourseStretch[], at: number): Permission =>
  stretches.find(({ from, to }) => from <= at && at < to)?.permission ?? 'not_in_play';

test('is what a reader of the topics could know at each second, in every evening', () => {
  fc.assert(
    fc.property(steps, (evening) => {
      const one = new Evening();
      for (const step of [...evening, { kind: 'wait', ms: 300 } as const]) one.do(step);
      for (const record of one.records) one.played.health(record.event_id, record);
      const course = matchDetails(one.played.views, match.id, one.monitor.now / 1000)?.course ?? null;
      for (const [at, permission] of looks(one)) {
        // The story may name a change as much earlier or later.
        const told = [at - LOOK_MS, at, at + LOOK_MS].map((time) =>
          permissionAt(course?.stretches ?? [], time),
        );
        expect(told, `at ${at - BEGIN}`).toContain(permission);
      }
    }),
    { numRuns: 40 },
  );
});

test('covers the time of the match with stretches without gaps, and has every score', () => {
  const played = new PlayedViews();
  played.health(null, { written_at: 0 });
  played.health(match.id, { judged_from: 0 });
  playSerbiaBrazil(played, NOW);
  const course = matchDetails(played.views, match.id, NOW)?.course;
  const kickOff = (NOW - 83 * 60) * 1000;
  expect(course).toMatchObject({ from: kickOff, to: NOW * 1000 });
  const minutes = course?.scores.map(({ at, score }) => `${(at - kickOff) / 60_000}′ ${score}`);
  expect(minutes).toEqual(['0′ 0–0', '36′ 0–1', '71′ 1–1', '73′ 0–1', '82′ 0–2']);
  const stretches = course?.stretches ?? [];
  for (const [n, { from }] of stretches.entries()) expect(from).toBe(stretches[n - 1]?.to ?? kickOff);
  expect(stretches.at(-1)?.to).toBe(course?.to);
});
