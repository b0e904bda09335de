import { expect } from 'vitest';
import type { Cause } from '#topics/generated/types.ts';
import { Pipeline, type PipelineOutput, type PipelinePlace } from '../support/pipeline.ts';
import { until } from '../support/poll.ts';
import type { ServiceProcess } from '../support/processes.ts';
import { seeded, workload } from '../support/workload.ts';

/** How often each disturbance is made: often with `npm run test:faults`, a few times with `npm test`. */
export function times(full: number, short: number): number {
  return process.env.FAULTS === 'full' ? full : short;
}

/** Longer than any of them takes in full. */
export const FAULT_TIMEOUT_MS = 30 * 60_000;

/** The load under which things are disturbed; the same in every run of a test. */
export const LOAD = { events: 40, perEvent: 60, seed: 7 };

/** Messages that are sent while one disturbance is made. */
const STEP = 150;

/** What a disturbance may do. `random` decides moments; the messages never depend on it. */
export type Disturbance = (run: {
  step: number;
  processors: ServiceProcess[];
  pipeline: Pipeline;
  random: () => number;
}) => Promise<void>;

/** Processes the load from start to end with one processor that nothing happens to. */
export async function undisturbed(place: PipelinePlace): Promise<PipelineOutput> {
  const pipeline = await Pipeline.create(place);
  const processor = pipeline.startProcessor();
  await pipeline.feed(workload(LOAD));
  await pipeline.settled();
  const output = await pipeline.output();
  await processor.stop();
  return output;
}

/**
 * Sends the load step by step, a disturbance beside each step, until it was disturbed `count` times and all is
 * sent; waits until all is processed and gives the output.
 */
export async function disturbed(options: {
  place: PipelinePlace;
  processors: number;
  count: number;
  disturb: Disturbance;
}): Promise<PipelineOutput> {
  const { place, count, disturb } = options;
  const pipeline = await Pipeline.create(place);
  const processors = Array.from({ length: options.processors }, () => pipeline.startProcessor());
  await Promise.all(processors.map((processor) => processor.ready()));
  const messages = workload(LOAD);
  const random = seeded(Date.now());
  const feed = await pipeline.openFeed();
  const size = Math.max(1, Math.min(STEP, Math.floor(messages.length / count)));
  let sent = 0;
  const sendStep = async (upTo: number): Promise<void> => {
    // Small sends, so that a disturbance meets transactions that are under way.
    while (sent < upTo) {
      const end = Math.min(upTo, sent + 10);
      const next = messages.slice(sent, end);
      // As a provider does: what was not taken is sent again.
      await until('the broker takes the messages', () =>
        feed.send(next).then(
          () => true,
          () => undefined,
        ),
      );
      sent = end;
    }
  };
  for (let step = 0; step < count; step += 1) {
    await Promise.all([
      sendStep(Math.min(messages.length, (step + 1) * size)),
      disturb({ step, processors, pipeline, random }),
    ]);
  }
  await sendStep(messages.length);
  await feed.close();
  await pipeline.settled().catch((error: unknown) => {
    throw new Error(`${String(error)}\n${processors.map((processor) => processor.log).join('\n---\n')}`);
  });
  return pipeline.output();
}

/**
 * The same states, the same incidents, the same transitions, each told once. Where the feed itself had to repeat
 * messages, offsets of causes are left out: a copy of a message has one of its own.
 */
export function expectSame(
  actual: PipelineOutput,
  expected: PipelineOutput,
  options = { offsets: true },
): void {
  if (!options.offsets) {
    expectSame(withoutOffsets(actual), withoutOffsets(expected));
    return;
  }
  const ids = actual.transitions.map(({ id }) => id);
  expect(new Set(ids).size, 'no transition is told twice').toBe(ids.length);
  expect(new Set(ids)).toEqual(new Set(expected.transitions.map(({ id }) => id)));
  expect(byKey(actual.states)).toEqual(byKey(expected.states));
  expect(byKey(actual.incidents)).toEqual(byKey(expected.incidents));
  expect(byEvent(actual)).toEqual(byEvent(expected));
}

function byKey<V>(map: ReadonlyMap<string | number, V>): Record<string, V> {
  return Object.fromEntries(map);
}

function byEvent({ transitions }: PipelineOutput): Record<string, unknown[]> {
  const events: Record<string, unknown[]> = {};
  for (const transition of transitions) {
    const told = events[transition.event_id] ?? [];
    events[transition.event_id] = told;
    told.push(transition);
  }
  return events;
}

function withoutOffsets(output: PipelineOutput): PipelineOutput {
  const strip = <V extends { cause: Cause }>(value: V): V => ({
    ...value,
    cause: { ...value.cause, offset: 0 },
  });
  return {
    states: new Map([...output.states].map(([key, value]) => [key, strip(value)])),
    incidents: new Map([...output.incidents].map(([key, value]) => [key, strip(value)])),
    transitions: output.transitions.map(strip),
  };
}
