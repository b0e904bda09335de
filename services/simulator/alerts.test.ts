import { expect, test } from 'vitest';
import { normalized } from '#ingestion/testing/normalized.ts';
import { AlertPartition } from '#processors/alerts/alert-processor.ts';
import { ALERT_KINDS } from '#processors/alerts/rules.ts';
import { codecs, commitMessages, partitionOf } from '#processors/match/testing/partition.ts';
import type { Alert } from '#records/types.ts';
import { RecordCollector } from '#streams/runtime/processor.ts';
import { codecOf } from '#topics/testing/codecs.ts';
import { finalScore, readDataset } from '../../data/dataset.ts';
import { rounds } from '../../test/support/rounds.ts';
import { SEED } from '../../test/support/seed.ts';
import { parseFaults } from './faults.ts';
import { simulateMatch } from './match.ts';

const KICK_OFF = 1_530_000_000;
const { competition, matches } = readDataset('world-cup-2018');

test('the alerts of a tournament are those of its official scores', () => {
  const all = { ...codecs, alerts: codecOf('alerts'), 'webhook-messages': codecOf('webhook-messages') };
  const alerts = new AlertPartition({
    partition: 0,
    codecs: all,
    rules: [{ name: 'all', on: [...ALERT_KINDS] }],
    topicName: (topic) => topic,
    since: () => 0,
    latest: () => null,
    onPublished() {},
  });
  const settings = { seed: String(SEED), faults: parseFaults('some'), keepAliveEvery: 0, clockEvery: 0 };
  for (const facts of matches.slice(-rounds(64))) {
    const partition = partitionOf();
    const published: Alert[] = [];
    const { messages } = simulateMatch(facts, competition, KICK_OFF, settings);
    for (const [offset, message] of messages.entries()) {
      const value = codecs['normalized-messages'].encode(normalized(message, message.ut * 1_000));
      const collector = new RecordCollector(0);
      for (const { topic, value: transition } of commitMessages(partition, offset, value))
        if (topic === 'match-transitions')
          alerts.process({ offset, key: null, value: transition }, collector);
      for (const record of collector.records)
        if (record.topic === 'alerts') published.push(all.alerts.decode(record.value as Buffer));
    }
    partition.close();
    const count = (kind: Alert['kind']) => published.filter((alert) => alert.kind === kind).length;
    const [home, away] = finalScore(facts);
    expect({
      id: facts.id,
      goals: count('goal') - count('goal_cancelled'),
      ends: count('final') - count('final_withdrawn'),
      score: published.findLast(({ kind }) => kind === 'final')?.score,
      closes: count('guard_opened') - count('guard_closed'),
    }).toEqual({ id: facts.id, goals: home + away, ends: 1, score: { home, away }, closes: 0 });
  }
});
