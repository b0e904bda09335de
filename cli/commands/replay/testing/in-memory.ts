/** A replay without a broker, for tests: published records stay in memory. */
import { OWN_RULES, type RulesOf, readRules } from '#service/competition-rules.ts';
import { codecOf } from '#topics/testing/codecs.ts';
import { type ReplayCodecs, type ReplayInput, type ReplayOutput, replayEngine } from '../engine.ts';

/** Codecs without a registry. */
export const codecs: ReplayCodecs = {
  'normalized-messages': codecOf('normalized-messages'),
  'match-incidents': codecOf('match-incidents'),
  'match-state': codecOf('match-state'),
  'match-transitions': codecOf('match-transitions'),
  'match-results': codecOf('match-results'),
  'standings-results': codecOf('standings-results'),
  standings: codecOf('standings'),
  'dead-letters': codecOf('dead-letters'),
};

/** Replays inputs in batches of `batch` records. Returns the published records in order. */
export async function replayInMemory(
  inputs: readonly ReplayInput[],
  batch: number,
  rulesOf: RulesOf = readRules(OWN_RULES),
): Promise<readonly ReplayOutput[]> {
  const published: ReplayOutput[] = [];
  const engine = replayEngine({
    prefix: '',
    codecs,
    rulesOf,
    async *readBack(topic, partition) {
      yield published
        .filter((record) => record.topic === topic && record.partition === partition)
        .map(({ key, value }, offset) => ({ offset, key: key === null ? null : Buffer.from(key), value }));
    },
  });
  try {
    for (let at = 0; at < inputs.length; at += batch)
      published.push(...(await engine.process(inputs.slice(at, at + batch))));
    return published;
  } finally {
    engine.close();
  }
}
