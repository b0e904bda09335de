import { expect, test } from 'vitest';
import { readDataset } from '../../../data/dataset.ts';
import { parseFaults } from '../faults.ts';
import { schedule } from '../schedule.ts';
import { createTimeline } from './timeline.ts';

const DATASET = readDataset('world-cup-2018');
const MATCH_SETTINGS = { seed: '1', faults: parseFaults('many'), keepAliveEvery: 300, clockEvery: 0 };
/** The waves of the whole tournament. */
const WAVES = 8;

test('has the messages of all waves, even of waves that are no longer in memory', () => {
  const waves = [...schedule(DATASET, MATCH_SETTINGS)];
  const timeline = createTimeline(DATASET, MATCH_SETTINGS);
  expect(timeline.stretches).toHaveLength(WAVES);
  expect([timeline.startsAt, timeline.endsAt]).toEqual([waves[0]?.startsAt, waves.at(-1)?.endsAt]);
  const all = waves.flatMap(({ messages }) => messages);
  expect([...timeline.between(timeline.startsAt, timeline.endsAt)]).toEqual(all);
  for (const { startsAt, endsAt, messages } of waves)
    expect([...timeline.between(startsAt, endsAt)]).toEqual(messages);
  expect(timeline.totals).toMatchObject({ matches: 64, messages: all.length });
  expect(timeline.totals.invented.deleted).toBe(
    waves.flatMap(({ matches }) => matches).reduce((sum, { invented }) => sum + (invented.deleted ?? 0), 0),
  );
  expect(timeline.length).toBe(waves.reduce((sum, { startsAt, endsAt }) => sum + endsAt - startsAt, 0));
});
