import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { flagsOf } from '#processors/match/loaded-match.ts';
import type { MatchPartitionOptions } from '#processors/match/match-partition.ts';
import { codecs, commitMessages, goal, partitionOf, START } from '#processors/match/testing/partition.ts';
import type { Incident, MatchState, NormalizedMessage } from '#records/types.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { commitMetrics } from './service.ts';

const WELL: MatchState = { ...sampleOf('match-state'), agreement: 'agrees', orphans: [], anomalies: [] };

test.each<[what: string, state: Partial<MatchState>, flags: string[]]>([
  ['nothing', {}, []],
  ['a score that cannot be compared', { agreement: 'unknown' }, []],
  ['a score that differs', { agreement: 'differs' }, ['score_differs']],
  ['two orphans', { orphans: ['5-1', '5-2'] }, ['orphan']],
  [
    'everything',
    { agreement: 'differs', orphans: ['5-1'], anomalies: ['5-3:for_all'] },
    ['score_differs', 'orphan', 'anomaly'],
  ],
])('flags %s', (_, state, flags) => {
  expect(flagsOf({ ...WELL, ...state })).toEqual(flags);
});

/** A goal of a participant that plays for no side, or of the home team again. */
function goalOf(eventId: number, at: number, participant_id: number): Buffer {
  const message = codecs['normalized-messages'].decode(goal(eventId, 110, at, false)) as NormalizedMessage;
  const incident: Incident = { ...(message.incident?.incident as Incident), participant_id };
  return codecs['normalized-messages'].encode({ ...message, incident: { deleted: false, incident } });
}

type MatchCommit = Parameters<NonNullable<MatchPartitionOptions['onCommitted']>>[0];

/** A partition, its reports, and a function that applies messages and commits. */
function reporting(limits: Partial<MatchPartitionOptions> = {}) {
  const reports: MatchCommit[] = [];
  const partition = partitionOf({
    ...limits,
    onCommitted: ({ receivedAt, flagged }) => reports.push({ receivedAt, flagged: { ...flagged } }),
  });
  const commit = (...values: readonly Buffer[]): MatchCommit | undefined => {
    commitMessages(partition, reports.length, ...values);
    return reports.at(-1);
  };
  return { partition, reports, commit };
}

test('reports once with the commit when each message that changed a match was received', () => {
  const { commit } = reporting();
  const start = goal(1, 100, 0, false);
  expect(commit(start, goal(1, 110, 60, false))?.receivedAt).toEqual([START * 1_000, (START + 60) * 1_000]);
  expect(commit(start)?.receivedAt).toEqual([]);
});

test('counts matches in memory by flag until they are corrected, spilled, or the partition is released', () => {
  const { commit, partition, reports } = reporting({ maxLoaded: 2 });
  expect(commit(goalOf(1, 0, 77), goalOf(2, 1, 77))?.flagged.anomaly).toBe(2);
  expect(commit(goalOf(1, 2, 1))?.flagged.anomaly).toBe(1);
  // The second match makes room for others.
  for (const match of [3, 4]) commit(goal(match, 110, 60, false));
  expect(reports.at(-1)?.flagged.anomaly).toBe(0);
  expect(commit(goalOf(2, 1, 77))?.flagged.anomaly, 'a copy loads it again').toBe(1);
  partition.close();
  expect(reports.at(-1)?.flagged.anomaly).toBe(0);
});

test('observes the time from receipt to commit, and sets a gauge for each flag', async () => {
  const registry = new Registry();
  const observe = commitMetrics(registry, () => 10_500);
  observe(3)({ receivedAt: [10_000, 9_500], flagged: { score_differs: 2, orphan: 0, anomaly: 1 } });
  const text = await registry.metrics();
  expect(text).toContain('touchline_stage_latency_seconds_sum{stage="received_to_state"} 1.5\n');
  expect(text).toContain('touchline_flagged_matches{partition="3",reason="score_differs"} 2\n');
  expect(text).toContain('touchline_flagged_matches{partition="3",reason="orphan"} 0\n');
});
