import { describe, expect, test } from 'vitest';
import type { NormalizedMessage } from '#records/types.ts';
import { silentLogger } from '#streams/log.ts';
import { ProviderError, type ProviderErrorCode } from '../provider/answer.ts';
import type { ProviderRequest } from '../provider/provider.ts';
import type { EventPublisher } from '../publish/events.ts';
import { contractScope } from '../schedule/repeat.ts';
import { answer, testMetrics } from '../testing/answers.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { type MissingEvents, missingEvents } from './missing-events.ts';
import { type Reconciler, type ReconcilerOptions, reconciler, reportedGoals } from './reconcile.ts';
import { MatchWatch } from './watch.ts';

const T0 = 1_700_000_000;
const VERIFY_MS = 300_000;
const WAITS = { unconfirmedMs: 20_000, silenceMs: 20_000, verifyMs: VERIFY_MS, settleMs: 75_000 };
const BAD_TYPE = 'goal';
const { signal } = new AbortController();

type Raw = Record<string, unknown>;

const finished = { status_type: 'finished', status_id: 11, verified_result: 'yes' };
const goals = (home: number, away: number): Raw => ({
  participants: [
    { id: 1, counter: 1, results: [{ id: 2, value: String(home) }] },
    { id: 2, counter: 2, results: [{ id: 2, value: String(away) }] },
  ],
});
const incident = (id: string, ut: number, more: Raw = {}): Raw => ({ id, incident_id: 413, ut, ...more });

/** Match 9 at a provider whose answers a test sets, and the reconciler that checks it. */
class CheckedMatch {
  readonly clock = new FakeClock();
  event: Raw = { status_type: 'live', status_id: 33, clock_status: 'stopped' };
  start = '2023-11-14 20:00';
  incidents: Raw[] = [];
  /** The deleted incidents; null: their list fails. */
  deleted: Raw[] | null = [];
  /** The count of the list; null: the true one. */
  total: number | null = null;
  /** Seconds by which the list lags. */
  lag = 0;
  /** Published snapshots, dead letters and checkpoints, in order. */
  readonly done: string[] = [];
  readonly published: NormalizedMessage[] = [];
  readonly warnings: unknown[] = [];
  readonly errors: unknown[] = [];
  requests = 0;
  readonly watch = new MatchWatch({ ...WAITS, verifyWithin: 7 * 86_400, follows: () => true }, []);
  readonly missing: MissingEvents;
  /** The events of each list, as the poller saves them. */
  readonly saved: Map<string, readonly number[]>;
  /** The codes with which the provider refuses its events, by id. */
  readonly refused = new Map<number, ProviderErrorCode>();
  readonly #reconciler: Reconciler;

  /** `saved`: what the last poller has saved. */
  constructor(saved: ReadonlyMap<string, readonly number[]> = new Map()) {
    this.saved = new Map(saved);
    this.missing = missingEvents([], saved, 0);
    this.#reconciler = reconciler({
      provider: { get: async (request) => this.#get(request), time: async () => this.time },
      watch: this.watch,
      missing: this.missing,
      eventPublisher: {
        publish: async (_, { absentAt }) => {
          if (typeof absentAt === 'number') this.done.push(`back since ${absentAt - T0}`);
        },
      } as Pick<EventPublisher, 'publish'> as EventPublisher,
      catalogue: { publish: async () => {} } as unknown as ReconcilerOptions['catalogue'],
      topicWriter: {
        deliver: async ({ normalized, deadLetters }) => {
          this.published.push(...normalized);
          const kinds = normalized.map(({ absence, unreadable }) => {
            if (absence !== null) return absence.confirmed ? 'deleted' : 'missing';
            return unreadable === null ? 'snapshot' : 'mark';
          });
          this.done.push(...kinds, ...deadLetters.map(() => 'dead letter'));
        },
        checkpoint: async (resource) => {
          this.done.push(resource);
        },
        forget: async (resource) => {
          this.done.push(`no ${resource}`);
        },
      },
      context: {
        clock: this.clock,
        backoff: { firstMs: 500, ceilingMs: 60_000, random: () => 0.5 },
        contract: contractScope({ log: silentLogger, metrics: testMetrics() }),
        log: { ...silentLogger, warn: (of) => this.warnings.push(of), error: (of) => this.errors.push(of) },
        metrics: testMetrics(),
      },
    });
  }

  get time(): number {
    return T0 + Math.floor(this.clock.now / 1000);
  }

  /** Makes the checks that are due within `ms`, in steps of a second. Returns how many seconds after now each was. */
  async checksWithin(ms: number): Promise<number[]> {
    const checks: number[] = [];
    const from = this.clock.now;
    for (const end = from + ms; this.clock.now < end; this.clock.now += 1_000) {
      // The schedule lists the match at every step.
      this.watch.onEvent(this.#event(), this.time, this.clock.now);
      const id = this.watch.claim(this.clock.now);
      if (id === null) continue;
      checks.push((this.clock.now - from) / 1_000);
      await this.#reconciler.check(id, signal);
    }
    return checks;
  }

  /** Lets the loop of the reconciler run for `ms`; every ten seconds the season's list is read, which has these events. */
  async run(ms: number, listed: readonly number[] | null): Promise<void> {
    const stop = new AbortController();
    const end = this.clock.now + ms;
    const read = (): void => {
      if (listed === null) return;
      for (const id of this.missing.onList('season/2', new Set(listed), this.clock.now))
        this.watch.suspect(id, this.clock.now);
      const unsaved = this.missing.unsaved('season/2');
      if (unsaved !== null) this.saved.set('season/2', unsaved);
    };
    read();
    this.clock.sleep = async (pause) => {
      this.clock.now += pause;
      if (this.clock.now >= end) stop.abort();
      else read();
    };
    await this.#reconciler.run(10_000, stop.signal);
  }

  #event(): Raw {
    return { id: 9, sport_id: 5, start_date: this.start, ...this.event };
  }

  #get({ operation, id, query }: ProviderRequest) {
    this.requests += 1;
    const refusal = this.refused.get(id ?? 0);
    if (refusal !== undefined) throw new ProviderError(refusal, operation, 'refused');
    if (operation === 'events.show') {
      const stage = { id: 3, group: { id: 4, event: { ...this.#event(), id } } };
      return answer({ competition: { id: 1, season: { id: 2, stage } } }, this.time);
    }
    if (query.deleted === 'no') {
      const total_items = this.total ?? this.incidents.length;
      return answer(query.page === 1 ? this.incidents : [], this.time - this.lag, { total_items });
    }
    if (this.deleted === null) throw new ProviderError('SERVER_ERROR', operation, 'answered 500');
    return answer(this.deleted, this.time, { total_items: this.deleted.length });
  }
}

/** Returns a finished, verified match with one incident. */
function finishedMatch(): CheckedMatch {
  const match = new CheckedMatch();
  match.event = finished;
  match.incidents = [incident('5-1', T0 - 500)];
  return match;
}

/** Returns a live match whose kick-off and goal were listed once. */
async function liveMatch(): Promise<CheckedMatch> {
  const match = new CheckedMatch();
  match.event = { ...match.event, ...goals(1, 0) };
  match.incidents = [incident('5-1', T0 - 500, { incident_id: 429 }), incident('5-2', T0 - 100)];
  expect(await match.checksWithin(1_000)).toEqual([0]);
  match.clock.now = 60_000;
  return match;
}

/** Makes the board lose the live match, so that it is checked. */
const loseFromBoard = (match: CheckedMatch): void => match.watch.onBoard(5, new Set());

const shown = ({ published }: CheckedMatch) =>
  published.map(({ snapshot, deleted }) => {
    return { snapshot: snapshot?.map(({ id }) => id), deleted: deleted.map(({ id }) => id) };
  });

test('checks a finished match with an unreadable incident list until the list is readable', async () => {
  const match = finishedMatch();
  match.incidents = [incident('5-1', T0 - 500, { incident_id: BAD_TYPE })];
  expect(await match.checksWithin(12 * VERIFY_MS)).toHaveLength(12);
  // The same list becomes a dead letter only once.
  expect(match.done).toEqual(['mark', 'dead letter']);
  match.incidents = [incident('5-1', T0 - 500)];
  await match.checksWithin(2 * VERIFY_MS);
  expect(match.done).toEqual(['mark', 'dead letter', 'snapshot', 'finished/9']);
  expect(await match.checksWithin(12 * VERIFY_MS)).toEqual([]);
});

test('verifies a match with an unreadable list when it began longer ago than VERIFY_DAYS', async () => {
  const match = finishedMatch();
  match.incidents = [incident('5-1', T0 - 500, { incident_id: BAD_TYPE })];
  await match.checksWithin(VERIFY_MS);
  match.start = '2023-11-01 20:00';
  await match.checksWithin(2 * VERIFY_MS);
  expect(match.done).toEqual(['mark', 'dead letter', 'finished/9']);
});

describe('a list that is not plausible', () => {
  test.each<[string, (match: CheckedMatch) => void]>([
    ['empty', (match) => Object.assign(match, { incidents: [] })],
    ['count', (match) => Object.assign(match, { incidents: [], total: 2 })],
    ['count', (match) => Object.assign(match, { total: 1 })],
    ['older', (match) => Object.assign(match, { lag: 600 })],
  ])('is refused as %s: not published, logged once, read again', async (reason, spoil) => {
    const match = await liveMatch();
    spoil(match);
    loseFromBoard(match);
    expect(await match.checksWithin(60_000)).toEqual([0, 20, 40]);
    expect(shown(match)).toHaveLength(1);
    expect(match.warnings).toEqual([{ event_id: 9, reason }]);
    const since = match.clock.unix() - 60_000;
    expect(match.watch.refusedLists()).toEqual([{ event_id: 9, reason, since }]);
    Object.assign(match, { incidents: [incident('5-2', T0 - 100)], total: null, lag: 0 });
    await match.checksWithin(1_000);
    expect(shown(match)).toHaveLength(2);
    expect(match.watch.refusedLists()).toEqual([]);
    match.incidents = [incident('5-1', T0 - 500), incident('5-2', T0 - 100)];
    spoil(match);
    loseFromBoard(match);
    await match.checksWithin(1_000);
    expect([match.watch.refusedLists().length, match.warnings.length]).toEqual([1, 1]);
  });

  test('may be empty where nothing is known and the result has no goals', async () => {
    const match = new CheckedMatch();
    match.event = { ...match.event, ...goals(0, 0) };
    expect(await match.checksWithin(60_000)).toEqual([0]);
    expect([match.published, match.warnings, match.watch.refusedLists()]).toEqual([[], [], []]);
  });

  test('is read again rarely where no incident was ever known', async () => {
    const match = new CheckedMatch();
    match.event = { ...match.event, ...goals(2, 1) };
    expect(await match.checksWithin(2 * VERIFY_MS)).toEqual([0, 300]);
    expect(match.watch.refusedLists()).toMatchObject([{ reason: 'empty' }]);
  });

  test.each([
    ['verifies a finished match although its list is empty', { incidents: [] }, ['finished/9']],
    ['does not verify a finished match with a wrong count', { total: 5 }, []],
  ])('%s', async (_, changes, done) => {
    const match = finishedMatch();
    Object.assign(match, { event: { ...finished, ...goals(2, 1) } }, changes);
    await match.checksWithin(2 * VERIFY_MS);
    expect(match.done).toEqual(done);
  });
});

describe('a list that omits a known incident', () => {
  const deletedGoal = incident('5-2', T0 + 30, { action: 'delete' });

  test('is published with what the provider lists as deleted, by one more request', async () => {
    const match = await liveMatch();
    match.incidents.pop();
    match.deleted = [deletedGoal, incident('5-0', T0 - 700, { action: 'delete' })];
    loseFromBoard(match);
    match.requests = 0;
    expect(await match.checksWithin(200_000)).toEqual([0]);
    expect(match.requests).toBe(3);
    expect(shown(match).at(-1)).toEqual({ snapshot: ['5-1'], deleted: ['5-2', '5-0'] });
  });

  test('is published alone where the other list fails, and read again when it can prove the removal', async () => {
    const match = await liveMatch();
    match.event = { ...match.event, ...goals(0, 0) };
    match.incidents.pop();
    match.deleted = null;
    loseFromBoard(match);
    expect(await match.checksWithin(200_000)).toEqual([0, 15]);
    expect(shown(match).slice(1)).toEqual(Array(2).fill({ snapshot: ['5-1'], deleted: [] }));
  });

  test('is read again every interval while the result has more goals than the list', async () => {
    const match = await liveMatch();
    match.incidents.pop();
    loseFromBoard(match);
    expect(await match.checksWithin(60_000)).toEqual([0, 15, 35, 55]);
  });

  test('is published alone where one deleted incident is unreadable', async () => {
    const match = await liveMatch();
    match.incidents.pop();
    match.deleted = [deletedGoal, { id: 17, action: 'delete' }];
    loseFromBoard(match);
    await match.checksWithin(1_000);
    expect(match.done).toEqual(['snapshot', 'snapshot']);
    expect(shown(match).at(-1)).toEqual({ snapshot: ['5-1'], deleted: [] });
  });

  test('is published with the deletions alone where it has no incident left', async () => {
    const match = await liveMatch();
    match.event = { ...match.event, ...goals(0, 0) };
    match.incidents = [];
    match.deleted = [deletedGoal, incident('5-1', T0 + 30, { action: 'delete' })];
    loseFromBoard(match);
    await match.checksWithin(60_000);
    expect(shown(match).at(-1)).toEqual({ snapshot: [], deleted: ['5-2', '5-1'] });
    expect(match.watch.refusedLists()).toEqual([]);
  });

  test.each([
    ['has incidents of the plain list', ['5-1'], [incident('5-1', T0 - 500), incident('5-2', T0 - 100)]],
    ['has only present incidents, beside an empty one', [], [incident('5-2', T0 - 100)]],
    // The server ignores the parameter.
  ])('ignores a list of deleted incidents that %s', async (_, ids, deleted) => {
    const match = await liveMatch();
    match.incidents = match.incidents.filter(({ id }) => ids.includes(String(id)));
    match.deleted = deleted;
    loseFromBoard(match);
    await match.checksWithin(1_000);
    const [, ...later] = shown(match);
    expect(later.flatMap((one) => one.deleted)).toEqual([]);
  });

  test('does not verify a finished match before a list can prove the removal', async () => {
    const match = await liveMatch();
    match.event = { ...finished, ...goals(0, 0) };
    match.incidents.pop();
    // It was finished when last seen: the lists have settled.
    await match.checksWithin(1_000);
    expect(match.done.at(-1)).toBe('snapshot');
    await match.checksWithin(15_000);
    expect(match.done.at(-1)).toBe('finished/9');
  });
});

describe('an event that the provider no longer has', () => {
  const GONE: ProviderErrorCode = 'NOT_FOUND';
  type Refused = Readonly<Record<number, ProviderErrorCode>>;
  const step = (minutes: number, listed: readonly number[] | null, refused: Refused = {}) => {
    return { minutes, listed, refused };
  };
  const NINE: Refused = { 9: GONE };
  const BOTH: Refused = { 8: GONE, 9: GONE };

  /** Lists match 9 beside others, then goes these steps. Returns what was published. */
  async function played(...steps: readonly ReturnType<typeof step>[]): Promise<string[]> {
    const match = new CheckedMatch();
    await match.run(60_000, [8, 9]);
    for (const { minutes, listed, refused } of steps) {
      match.refused.clear();
      for (const [id, code] of Object.entries(refused)) match.refused.set(Number(id), code);
      await match.run(minutes * 60_000, listed);
    }
    return match.done.filter((what) => what !== 'snapshot');
  }

  const first = ['missing/9', 'missing'];
  const second = [...first, 'missing/9', 'deleted'];
  const back = (since: number) => [`back since ${since}`, 'no missing/9'];

  test.each([
    ['is missing at once', [step(1, [8], NINE)], first],
    ['is deleted at a second look', [step(10, [8], NINE)], second],
    ['is not missing while a list has it', [step(10, [8, 9], NINE)], []],
    ['is not missing while it is shown', [step(10, [8])], []],
    ['is not missing while its answer fails', [step(10, [8], { 9: 'SERVER_ERROR' })], []],
    ['is not missing while no event is found', [step(10, [8], BOTH)], []],
    ['is not missing while no other event is listed', [step(10, [], BOTH)], []],
    ['is not deleted while no list is read', [step(1 / 6, [8], NINE), step(30, null, NINE)], first],
    ['is not deleted when it is shown again', [step(1, [8], NINE), step(9, [8])], [...first, ...back(60)]],
    ['is back when a list has it again', [step(10, [8], NINE), step(1, [8, 9])], [...second, ...back(360)]],
  ])('%s', async (_, steps, published) => {
    expect(await played(...steps)).toEqual(published);
  });

  test.each<[does: string, listed: number[], code: ProviderErrorCode | null, saved: number[]]>([
    ['is looked up if it was dropped while no poller ran', [8, 9], null, [8, 9]],
    ['is looked up if the last poller got no answer', [8], 'SERVER_ERROR', [8, 9]],
    ['is not looked up if the last poller was shown it', [8], null, [8]],
  ])('%s', async (_, listed, code, saved) => {
    const last = new CheckedMatch();
    await last.run(60_000, [8, 9]);
    if (code !== null) last.refused.set(9, code);
    await last.run(60_000, listed);
    expect(last.saved.get('season/2')).toEqual(saved);
    const next = new CheckedMatch(last.saved);
    next.refused.set(9, GONE);
    await next.run(60_000, [8]);
    expect(next.done).toEqual(saved.includes(9) ? first : []);
  });

  test('is looked at again when the feed has a message of it', async () => {
    const match = new CheckedMatch();
    await match.run(60_000, [8, 9]);
    match.refused.set(9, GONE);
    await match.run(600_000, [8]);
    expect(match.missing.onMessage(9, match.clock.now)).toBe(true);
    match.watch.suspect(9, match.clock.now);
    await match.run(600_000, [8]);
    expect(match.done).toEqual([...second, ...second]);
    expect(match.missing.onMessage(8, match.clock.now)).toBe(false);
  });

  test('is requested every quarter of an hour while it is outside the contract, whatever the feed says', async () => {
    const match = new CheckedMatch();
    await match.run(60_000, [8, 9]);
    match.refused.set(9, 'FORBIDDEN');
    const requestsOf = async (ms: number): Promise<number> => {
      const before = match.requests;
      expect(match.missing.onMessage(9, match.clock.now) || before === 0).toBe(true);
      match.watch.suspect(9, match.clock.now);
      await match.run(ms, [8]);
      return match.requests - before;
    };
    expect([await requestsOf(60_000), await requestsOf(60_000), await requestsOf(900_000)]).toEqual([
      1, 0, 1,
    ]);
  });

  test('is missing but not deleted, for as long as it takes, when more than 20 are', async () => {
    const match = new CheckedMatch();
    const ids = Array.from({ length: 22 }, (_, n) => 100 + n);
    await match.run(60_000, [8, ...ids]);
    for (const id of ids.slice(0, 21)) match.refused.set(id, GONE);
    await match.run(4 * 3_600_000, [8, 121]);
    const count = (what: string) => match.done.filter((one) => one === what).length;
    expect([count('missing'), count('deleted'), match.errors.length]).toEqual([21, 0, 1]);
    match.refused.delete(100);
    await match.run(3_600_000, [8, 121]);
    expect(count('deleted')).toBe(20);
  });
});

const participants = [93, 89].map((value, at) => ({ counter: at + 1, results: [{ id: 2, value }] }));

// The lists of incidents of another sport need no goal for a point.
test.each([
  [182, [5, '5', undefined]],
  [0, [1, 2, 3, '4', 6]],
])('%i goals are reported by both results in the sports %j; an unknown one is soccer', (goals, sports) => {
  for (const sport_id of sports)
    expect([sport_id, reportedGoals({ participants, sport_id })]).toEqual([sport_id, goals]);
  expect(reportedGoals({ sport_id: 5 })).toBe(0);
});
