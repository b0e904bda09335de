import { expect, test } from 'vitest';
import { untilTrue } from '../../support/poll.ts';
import { event, incident, message, Rig } from './support.ts';

/** Long ago: a time ahead of its receipt counts as a wrong clock. */
const T0 = 1_700_000_000;

test('takes nothing back for a list that lags, and removes a goal at once that the provider lists as deleted', async () => {
  const rig = await Rig.create();
  const { provider, pipeline } = rig;
  let clock = T0;
  provider.now = () => clock;
  const kickOff = incident('5-1', T0 - 90, { incident_id: 429, participant_id: null });
  const goal = incident('5-2', T0 - 60, { confirmation: 'tbd' });
  provider.events.set(9, event(9, T0 - 100));
  provider.incidents.set(9, [kickOff, goal]);
  provider.feed.push(message(1, T0 - 60, 9, goal));
  const processor = pipeline.startProcessor();
  const poller = rig.startPoller();
  await Promise.all([processor.ready(), poller.ready()]);
  const stateIs = async (what: string, wanted: object) => {
    let state: object = {};
    await untilTrue(what, async () => {
      const { score, missing, guard } = (await pipeline.output()).states.get(9) ?? {};
      state = { score, missing, guard };
      // Decoded records have classes of their own.
      return JSON.stringify(state) === JSON.stringify(wanted);
    }).catch(() => expect(state).toEqual(wanted));
  };
  const scored = { score: { home: 1, away: 0 }, missing: [] };
  await stateIs('the goal counts', { ...scored, guard: { safe: false, reasons: ['under_review'] } });

  clock += 20;
  provider.incidents.set(9, [kickOff]);
  const reasons = ['under_review', 'missing_from_list'];
  await stateIs('the goal is missing', { ...scored, missing: ['5-2'], guard: { safe: false, reasons } });
  provider.incidents.set(9, []);
  await untilTrue('an empty list is refused', () =>
    poller.lines.some((line) => line.includes('the incident list is not plausible')),
  );
  const kinds = async () => (await pipeline.output()).transitions.map(({ kind }) => kind);
  expect(await kinds()).not.toContain('incident_removed');
  expect(await kinds()).not.toContain('goal_cancelled');

  provider.incidents.set(9, [kickOff]);
  provider.deleted.set(9, [{ ...goal, action: 'delete', ut: clock }]);
  await stateIs('the goal is removed', {
    score: { home: 0, away: 0 },
    missing: [],
    guard: { safe: true, reasons: [] },
  });
  await untilTrue(
    'no list is refused',
    async () => (await poller.metric('touchline_poller_refused_lists')) === 0,
  );
});

test('checks a finished match until its result is verified, not again after a restart, and never one of a result alone', async () => {
  const rig = await Rig.create();
  const { provider, pipeline } = rig;
  provider.now = () => T0;
  const finished = {
    status_id: 11,
    status_name: 'Finished',
    status_type: 'finished',
    clock_status: 'stopped',
  };
  provider.events.set(9, event(9, T0 - 7_000, finished));
  provider.incidents.set(9, [incident('5-1', T0 - 6_900)]);
  // An event of which only the result is reported: its list is no timeline, and takes nothing from the result.
  const participants = ['0', '1'].map((value, at) => ({
    id: 101 + at,
    counter: at + 1,
    results: [{ id: 2, value }],
  }));
  const ofResult = { ...finished, verified_result: 'yes', ft_only: 'yes', participants };
  provider.events.set(10, event(10, T0 - 100, ofResult));
  provider.incidents.set(10, [incident('5-9', T0 - 90, { incident_id: 445, participant_id: null })]);
  const processor = pipeline.startProcessor();
  const poller = rig.startPoller({ FEED_SETTLE_SECONDS: '1' });
  await Promise.all([processor.ready(), poller.ready()]);
  await rig.checkpointed('finished/10', T0);
  await pipeline.settled();
  const { states } = await pipeline.output();
  expect(states.get(10)).toMatchObject({
    score: { home: 0, away: 1 },
    source: 'reported',
    snapshot_at: null,
  });
  expect(provider.count('/v2/events/10/incidents')).toBe(0);
  await processor.stop();

  const checks = (): number => provider.count('/v2/events/9/incidents');
  const watched = (): Promise<number> => poller.metric('touchline_poller_watched_events');
  const seasonReadAgain = async (): Promise<void> => {
    const before = provider.count('/v2/events');
    await untilTrue('its season is read', () => provider.count('/v2/events') > before + 3);
  };
  await untilTrue('it is checked repeatedly', async () => checks() >= 3 && (await watched()) === 1);
  expect(await rig.checkpoint('finished/9')).toBeUndefined();
  provider.events.set(9, event(9, T0 - 5_000, { ...finished, verified_result: 'yes' }));
  await rig.checkpointed('finished/9', T0);
  // The poller stops watching after the checkpoint is acknowledged; another check may have begun before.
  await untilTrue('the poller no longer watches it', async () => (await watched()) === 0);
  await seasonReadAgain();
  const done = checks();
  await seasonReadAgain();
  expect(checks()).toBe(done);
  await poller.stop();

  const other = rig.startPoller();
  await other.ready();
  await seasonReadAgain();
  expect(checks()).toBe(done);
  provider.events.set(9, event(9, T0 + 5, { ...finished, verified_result: 'yes' }));
  await untilTrue('it is checked after its change', () => checks() > done);
});
