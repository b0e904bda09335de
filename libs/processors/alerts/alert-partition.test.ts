import { expect, test } from 'vitest';
import type { MatchTransition } from '#records/types.ts';
import { RecordCollector } from '#streams/runtime/processor.ts';
import { codecOf } from '#topics/testing/codecs.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import type { KnownMatch } from './alert.ts';
import { AlertPartition } from './alert-partition.ts';
import { type AlertKind, parseRules } from './rules.ts';

const codecs = {
  'match-transitions': codecOf('match-transitions'),
  'alert-guards': codecOf('alert-guards'),
  alerts: codecOf('alerts'),
  'webhook-messages': codecOf('webhook-messages'),
};
const RULES = parseRules('{"rules":[{"name":"all","on":["guard_closed","goal"]}]}');
const RECEIVED = sampleOf('match-transitions').cause.received_at;
const HOUR_MS = 3_600_000;

const guardChanged = (version: number, ...reasons: string[]): Partial<MatchTransition> => ({
  id: `7:${version}:0`,
  event_id: 7,
  version,
  kind: 'guard_changed',
  guard: { safe: reasons.length === 0, reasons },
});

const reported: number[] = [];

function partition(now = RECEIVED, match: KnownMatch = null, ...on: AlertKind[]): AlertPartition {
  return new AlertPartition({
    partition: 0,
    partitions: 3,
    codecs,
    rules: on.length === 0 ? RULES : parseRules(JSON.stringify({ rules: [{ name: 'all', on }] })),
    topicName: (topic) => topic,
    since: () => now - HOUR_MS,
    latest: () => match,
    matchAt: async () => match,
    onPublished: (receivedAt) => reported.push(...receivedAt),
  });
}

/** Returns the outputs of a transition: topic, partition, key, and whether the record is a tombstone. */
async function processed(of: AlertPartition, change: Partial<MatchTransition>): Promise<string[]> {
  const collector = new RecordCollector(2);
  const value = codecs['match-transitions'].encode({ ...sampleOf('match-transitions'), ...change });
  await of.process({ offset: 0, key: null, value }, collector);
  return collector.records.map(
    ({ topic, partition, key, value: written }) =>
      `${topic}-${partition} ${key}${written === null ? ' deleted' : ''}`,
  );
}

test('refuses a transition that belongs to another partition', async () => {
  await expect(processed(partition(), { event_id: 9 })).rejects.toMatchObject({ code: 'WRONG_PARTITION' });
});

test('refuses the transitions of a match whose version went back, but not those that are read again', async () => {
  const known = { ...sampleOf('match-state'), version: 143 };
  const { cause } = known;
  const of = (version: number, offset: number) =>
    processed(partition(RECEIVED, known), { ...guardChanged(version), cause: { ...cause, offset } });
  await expect(of(1, cause.offset + 1)).rejects.toMatchObject({ code: 'VERSION_WENT_BACK' });
  expect(await of(1, cause.offset - 1)).toEqual([]);
});

const ALERTED = ['alerts-0 7', 'webhook-messages-2 7'];

test('publishes an alert to both topics, and the closed guard to the changelog', async () => {
  const one = partition();
  expect(await processed(one, guardChanged(1, 'game_break'))).toEqual(['alert-guards-2 7', ...ALERTED]);
  reported.length = 0;
  one.committed();
  expect(reported, 'of each alert, once it is committed').toEqual([RECEIVED]);
  one.committed();
  expect(reported).toHaveLength(1);
  expect(await processed(one, guardChanged(2, 'game_break', 'possible_var'))).toEqual(['alert-guards-2 7']);
  expect(await processed(one, guardChanged(3))).toEqual(['alert-guards-2 7 deleted']);
  expect(await processed(one, guardChanged(4))).toEqual([]);
});

test('publishes no alert for a guard that was closed before a restart', async () => {
  const value = codecs['alert-guards'].encode({ event_id: 7, reasons: ['game_break'], red_cards: [] });
  const restarted = partition();
  await restarted.restore('alert-guards', [{ offset: 0, key: Buffer.from('7'), value }]);
  expect(restarted.size()).toBe(1);
  expect(await processed(restarted, guardChanged(2, 'bet_suspended'))).toEqual(['alert-guards-2 7']);
  await restarted.restore('alert-guards', [{ offset: 1, key: Buffer.from('7'), value: null }]);
  expect(await processed(restarted, guardChanged(3, 'bet_suspended'))).toEqual([
    'alert-guards-2 7',
    ...ALERTED,
  ]);
});

test('publishes no alert of an old message, but remembers its guard', async () => {
  const late = partition(RECEIVED + HOUR_MS + 1);
  expect(await processed(late, guardChanged(1, 'game_break'))).toEqual(['alert-guards-2 7']);
  expect(await processed(partition(RECEIVED + HOUR_MS), guardChanged(1, 'game_break'))).toContain(
    'alerts-0 7',
  );
});

test('publishes an alert for each goal of one change, with its id, team, player and minute', async () => {
  const state = sampleOf('match-state');
  const [key] = state.key_incidents;
  if (key === undefined) throw new Error('the sample has no key incident');
  const key_incidents = [
    { ...key, id: '5-1' },
    { ...key, id: '5-2', team_id: state.away?.id ?? null, player_id: 7, player_name: 'Seven', minute: '90' },
  ];
  const collector = new RecordCollector(2);
  const score = { before: { home: 0, away: 0 }, after: { home: 1, away: 2 } };
  const of = { id: '7:1:1', event_id: 7, score, goals: ['5-1', '5-2', '5-3'] };
  const change = { ...sampleOf('match-transitions'), ...of };
  const value = codecs['match-transitions'].encode(change);
  await partition(RECEIVED, { ...state, key_incidents }).process({ offset: 0, key: null, value }, collector);
  const alerts = collector.records
    .filter(({ topic }) => topic === 'alerts')
    .map((record) => codecs.alerts.decode(record.value as Buffer));
  expect(await Promise.all(alerts)).toMatchObject([
    {
      id: 'all/goal/7:1:1',
      incident_id: '5-1',
      team_name: 'France',
      player_name: 'A. Griezmann',
      minute: '45+2',
    },
    { id: 'all/goal/7:1:1/5-2', incident_id: '5-2', team_name: 'Croatia', player_id: 7, minute: '90' },
    {
      id: 'all/goal/7:1:1/5-3',
      incident_id: '5-3',
      team_id: null,
      team_name: null,
      player_name: null,
      minute: null,
    },
  ]);
});

test('publishes the end of a red card that stood before a restart, with the team that had it', async () => {
  const state = sampleOf('match-state');
  const value = codecs['alert-guards'].encode({
    event_id: 7,
    reasons: ['game_break'],
    red_cards: [{ id: '5-1', team_id: state.home?.id ?? null }],
  });
  const removed: Partial<MatchTransition> = {
    id: '7:9:0',
    event_id: 7,
    version: 9,
    kind: 'incident_removed',
    incident_id: '5-1',
    incident_type: 418,
    goals: [],
    score: null,
  };
  for (const [on, alerts] of [
    ['red_card_cancelled', ALERTED],
    ['goal', []],
  ] as const) {
    const restarted = partition(RECEIVED, { ...state, version: 1, key_incidents: [] }, on);
    await restarted.restore('alert-guards', [{ offset: 0, key: Buffer.from('7'), value }]);
    const written = on === 'goal' ? [] : ['alert-guards-2 7'];
    expect(await processed(restarted, removed)).toEqual([...written, ...alerts]);
  }
});

test('remembers a red card that only a rule of its end is about', async () => {
  const state = sampleOf('match-state');
  const [key] = state.key_incidents;
  if (key === undefined) throw new Error('the sample has no key incident');
  const card = { ...key, id: '5-1', incident_type: 418, stands: true };
  let key_incidents = [card];
  const watching = partition(
    RECEIVED,
    {
      ...state,
      version: 1,
      get key_incidents() {
        return key_incidents;
      },
    },
    'red_card_cancelled',
  );
  const of = { event_id: 7, incident_id: '5-1', incident_type: 418, goals: [], score: null };
  expect(await processed(watching, { ...of, id: '7:1:0', kind: 'incident_added' })).toEqual([
    'alert-guards-2 7',
  ]);
  key_incidents = [{ ...card, stands: false }];
  expect(await processed(watching, { ...of, id: '7:2:0', version: 2, kind: 'incident_cancelled' })).toEqual([
    'alert-guards-2 7 deleted',
    ...ALERTED,
  ]);
  expect(watching.size()).toBe(0);
});
