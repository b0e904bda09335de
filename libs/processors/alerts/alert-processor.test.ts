import { expect, test } from 'vitest';
import type { MatchTransition } from '#records/types.ts';
import { RecordCollector } from '#streams/runtime/processor.ts';
import { codecOf } from '#topics/testing/codecs.ts';
import { KEY_INCIDENT } from '#topics/testing/match-samples.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import type { KnownMatch } from './alert.ts';
import { AlertPartition, earliestReceipt } from './alert-processor.ts';
import { parseRules } from './rules.ts';

const DAY_MS = 86_400_000;

test.each([
  ['the first start publishes from now on', null, true, 1_000],
  ['a further start publishes what was received meanwhile, a day back', null, false, 5_000 - DAY_MS],
  ['a given age holds on every start', 60, true, 4_940],
  ['a given age holds on every start', 60, false, 4_940],
])('%s', (_, given, isFirst, since) => {
  expect(earliestReceipt(given, isFirst, 1_000, () => 5_000)()).toBe(since);
});

const codecs = {
  'match-transitions': codecOf('match-transitions'),
  alerts: codecOf('alerts'),
  'webhook-messages': codecOf('webhook-messages'),
};
const RULES = parseRules('{"rules":[{"name":"all","on":["guard_closed","goal"]}]}');
const RECEIVED = sampleOf('match-transitions').cause.received_at;
const HOUR_MS = 3_600_000;

const NOW = sampleOf('match-transitions').match;
const guardOf = (reasons: string[]) => ({ safe: reasons.length === 0, reasons });
const guardChanged = (
  version: number,
  [before, after]: readonly [string[], string[]] = [[], ['game_break']],
): Partial<MatchTransition> => ({
  id: `7:${version}:0`,
  event_id: 7,
  version,
  kind: 'guard_changed',
  match: { ...NOW, guard_before: guardOf(before), guard: guardOf(after) },
});

const reported: number[] = [];

function partition(now = RECEIVED, match: KnownMatch | null = null): AlertPartition {
  return new AlertPartition({
    partition: 0,
    partitions: 3,
    codecs,
    rules: RULES,
    topicName: (topic) => topic,
    since: () => now - HOUR_MS,
    latest: () => match,
    onPublished: (receivedAt) => reported.push(...receivedAt),
  });
}

function outputsOf(of: AlertPartition, change: Partial<MatchTransition>) {
  const collector = new RecordCollector(2);
  const value = codecs['match-transitions'].encode({ ...sampleOf('match-transitions'), ...change });
  of.process({ offset: 0, key: null, value }, collector);
  return collector.records;
}

/** Returns the outputs of a transition: topic, partition, key. */
const processed = (of: AlertPartition, change: Partial<MatchTransition>) =>
  outputsOf(of, change).map(({ topic, partition, key }) => `${topic}-${partition} ${key}`);

const refusal = (code: string) => expect.objectContaining({ code });

test('refuses a transition that belongs to another partition', () => {
  expect(() => processed(partition(), { event_id: 9 })).toThrow(refusal('WRONG_PARTITION'));
});

test('refuses the transitions of a match whose version went back, but not those that are read again', () => {
  const known = { ...sampleOf('match-state'), version: 143 };
  const { cause } = known;
  const of = (version: number, offset: number) => {
    const again = { ...guardChanged(version, [[], []]), cause: { ...cause, offset } };
    return processed(partition(RECEIVED, known), again);
  };
  expect(() => of(1, cause.offset + 1)).toThrow(refusal('VERSION_WENT_BACK'));
  expect(of(1, cause.offset - 1)).toEqual([]);
});

const ALERTED = ['alerts-0 7', 'webhook-messages-2 7'];

test('publishes an alert to both topics, of a guard that was open', () => {
  const one = partition();
  expect(processed(one, guardChanged(1))).toEqual(ALERTED);
  reported.length = 0;
  one.committed();
  expect(reported, 'of each alert, once it is committed').toEqual([RECEIVED]);
  one.committed();
  expect(reported).toHaveLength(1);
  expect(processed(one, guardChanged(2, [['game_break'], ['game_break', 'possible_var']]))).toEqual([]);
  expect(processed(one, guardChanged(3, [['game_break'], []]))).toEqual([]);
});

test('publishes no alert of an old message', () => {
  expect(processed(partition(RECEIVED + HOUR_MS + 1), guardChanged(1))).toEqual([]);
  expect(processed(partition(RECEIVED + HOUR_MS), guardChanged(1))).toEqual(ALERTED);
});

test('publishes an alert for each goal of one change, with its id, team, player and minute', () => {
  const goals = [
    { ...KEY_INCIDENT, id: '5-1' },
    { ...KEY_INCIDENT, id: '5-2', team_id: NOW.away?.id ?? null, player_id: 7, minute: '90' },
    { ...KEY_INCIDENT, id: '5-3', team_id: null, player_id: null, player_name: null, minute: null },
  ];
  const score = { before: { home: 0, away: 0 }, after: { home: 1, away: 2 } };
  const alerts = outputsOf(partition(), { id: '7:1:1', event_id: 7, score, goals })
    .filter(({ topic }) => topic === 'alerts')
    .map((record) => codecs.alerts.decode(record.value as Buffer));
  const unknown = { team_id: null, team_name: null, player_name: null, minute: null };
  const id = 'all/goal/7:1:1';
  expect(alerts).toMatchObject([
    { id, incident_id: '5-1', team_name: 'France', player_name: 'A. Griezmann', minute: '45+2' },
    { id: `${id}/5-2`, incident_id: '5-2', team_name: 'Croatia', player_id: 7, minute: '90' },
    { id: `${id}/5-3`, incident_id: '5-3', ...unknown },
  ]);
});
