/** Runs every vector through Kafka with the real processor; libs/ingestion/vectors.test.ts runs them without Kafka. */
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectable, readVectors, VECTOR_FOLDERS, type Vector } from '#ingestion/testing/vectors.ts';
import type { MatchState } from '#records/types.ts';
import { backbone } from '../setup/backbone.ts';
import { Pipeline } from '../support/pipeline.ts';

const connection = backbone();

/** Groups vectors so that no two of a round have the same event. */
function rounds(all: readonly Vector[]): Vector[][] {
  const found: Vector[][] = [];
  for (const vector of all) {
    const round = found.find((other) => other.every(({ event_id }) => event_id !== vector.event_id));
    if (round === undefined) found.push([vector]);
    else round.push(vector);
  }
  return found;
}

async function throughKafka(
  round: readonly Vector[],
  prefix: string,
): Promise<ReadonlyMap<number, MatchState>> {
  const pipeline = await Pipeline.create({ ...connection, prefix, services: ['match-processor'] });
  const processor = pipeline.startProcessor();
  await pipeline.feed(round.flatMap(({ messages }) => messages));
  await pipeline.settled();
  const { states } = await pipeline.output();
  await processor.stop();
  return states;
}

function checkAll(folder: string, vectors: readonly Vector[]): void {
  const states = new Map<Vector, MatchState | undefined>();

  test('the processor processes them all', async () => {
    for (const [at, round] of rounds(vectors).entries()) {
      const found = await throughKafka(round, `${connection.prefix}${basename(folder)}.${at}.`);
      for (const vector of round) states.set(vector, found.get(vector.event_id));
    }
  });

  test.each(vectors)('$name: $why', (vector) => {
    const state = states.get(vector);
    expect(state && expectable(state)).toEqual(vector.expect);
  });
}

describe.each(VECTOR_FOLDERS)('vectors of %s, through Kafka', (folder) => {
  const vectors = readVectors(folder);
  if (vectors.length > 0) checkAll(folder, vectors);
  else {
    test('are absent, so that none was checked; a folder that was asked for has to be there', () => {
      expect(process.env.VECTORS_DIR).toBeUndefined();
    });
  }
});
