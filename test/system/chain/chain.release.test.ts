import { beforeAll, describe, expect, test } from 'vitest';
import type { PipelineOutput } from '../../support/pipeline.ts';
import { expectSameAnswers } from './answers.ts';
import { essence, publishedTwice } from './essence.ts';
import { type Chain, playChain } from './play.ts';

/** Timeout of the whole play, in its long variant too. */
const TIMEOUT_MS = 30 * 60_000;

let chain: Chain | undefined;

/** Plays once; the tests check the results. */
beforeAll(async () => {
  chain = await playChain();
}, TIMEOUT_MS);

function played(): Chain {
  if (chain === undefined) throw new Error('nothing was played');
  return chain;
}

function expectSameMatches(found: PipelineOutput, wanted: PipelineOutput): void {
  const [mine, theirs] = [essence(found), essence(wanted)];
  expect(Object.keys(mine)).toEqual(Object.keys(theirs));
  for (const [id, match] of Object.entries(theirs)) expect(mine[Number(id)], `event ${id}`).toEqual(match);
}

test('the play had every kind of fault', () => {
  const { source, faults, matches } = played();
  expect(source.states.size).toBe(matches);
  for (const [name, times] of faults) expect(times, name).toBeGreaterThan(0);
  const voided = [...source.states.values()].flatMap(({ void_goals }) => Object.values(void_goals));
  expect(new Set(voided)).toEqual(new Set(['removed', 'cancelled', 'goal_cancelled']));
  for (const { verified_result } of source.states.values()) expect(verified_result).toBe(true);
});

describe('when all is quiet', () => {
  test('a system that only polls another one reaches the same state of every match', () => {
    expectSameMatches(played().polling, played().source);
  });

  test('a system with partly lost webhooks and polling reaches the same state too', () => {
    expectSameMatches(played().both, played().source);
  });

  test('no system publishes a transition twice', () => {
    const { source, polling, both } = played();
    for (const output of [source, polling, both]) expect(publishedTwice(output)).toEqual([]);
  });
});

test('a killed replica of the api, an undisturbed one and a rebuilt one answer alike', async () => {
  const { replicas, client } = played();
  await expectSameAnswers(replicas, client);
});
