/** One match has far more goals than it may have, beside others. */
import { expect, test } from 'vitest';
import { MAX_DECISIVE } from '#processors/match/loaded-match.ts';
import { codecs, goal } from '#processors/match/testing/partition.ts';
import type { NormalizedMessage } from '#records/types.ts';
import { backbone } from '../../setup/backbone.ts';
import { doctor } from '../../support/doctor.ts';
import { connectionEnv } from '../../support/environment.ts';
import { Pipeline } from '../../support/pipeline.ts';

const CROWDED = 1;
const OTHERS = [2, 3, 4, 5, 6, 7];
const ROUNDS = 8;
const OF_ROUND = 100;
/** How much longer a round may take with the most goals of a match than with the first ones. */
const MAX_RATIO = 10;

function goalsOf(event: number, round: number, count: number): NormalizedMessage[] {
  return Array.from({ length: count }, (_, n) => {
    const at = round * count + n;
    return codecs['normalized-messages'].decode(goal(event, 1_000 + at, at, false)) as NormalizedMessage;
  });
}

test('refuses what a match has too many of, goes on with all others, and says so', async () => {
  const connection = backbone();
  const pipeline = await Pipeline.create(connection);
  const processor = pipeline.startProcessor();
  const feed = await pipeline.openFeed();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now();
    const messages = OTHERS.flatMap((event) => goalsOf(event, round, 1));
    await feed.send([...goalsOf(CROWDED, round, OF_ROUND), ...messages]);
    await pipeline.settled();
    times.push(performance.now() - started);
  }
  await feed.close();
  const { states } = await pipeline.output();
  expect(states.get(CROWDED)).toMatchObject({ score: { home: MAX_DECISIVE }, guard: { safe: false } });
  for (const event of OTHERS) expect(states.get(event)).toMatchObject({ score: { home: ROUNDS } });
  // The first round also waits for the start of the process.
  expect((times.at(-1) ?? 0) / (times[1] ?? 0), times.join()).toBeLessThan(MAX_RATIO);
  // Nothing was claimed again: the process kept its place in the group.
  expect(await processor.metric('touchline_task_failures_total')).toBe(0);
  expect(await processor.metric('touchline_dead_letters_total', 'code="too_many_incidents"')).toBe(
    ROUNDS * OF_ROUND - MAX_DECISIVE,
  );
  const { findings } = await doctor(connectionEnv(connection));
  const found = findings.filter(({ check, status }) => check === 'records' && status !== 'ok');
  expect(found).toMatchObject([
    {
      status: 'warning',
      message: expect.stringMatching(/ too_many_incidents \(the last: match 1: it would have /),
    },
  ]);
});
