import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Cause, NormalizedMessage } from '#records/types.ts';
import { TOPICS } from '#topics/topics.ts';
import { Pipeline, type PipelineConnection, type PipelineOutput } from './pipeline.ts';
import { untilTrue } from './poll.ts';
import type { TestService } from './processes.ts';
import { seeded } from './seed.ts';
import { workload } from './workload.ts';

/** Returns the load of the machine, for the message of a failed time limit. */
export function machineLoad(): string {
  return `the machine had a load of ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`;
}

/** Returns `full` for `npm run test:faults`, else `short`. */
export function times<T>(full: T, short: T): T {
  return process.env.FAULTS === 'full' ? full : short;
}

/** Cases for `describe.each` of tests that run with `npm run test:faults` only, because each starts several brokers. */
export const IN_FULL = times(['in full'], []);

/** Partitions of the topics of a match, as in production: every disturbed task counts. */
export const PARTITIONS = TOPICS['normalized-messages'].partitions;

/** Timeout of the fault tests, in their long variant too. */
export const FAULT_TIMEOUT_MS = 60 * 60_000;

/** The load during disturbances; the same in every run of a test. */
export const LOAD = { events: 40, perEvent: 60, seed: 7 };

/** Maximum number of messages that are sent during one disturbance. */
const STEP = 150;
/** Messages in one request, and the interval between requests: a disturbance should hit open transactions. */
const SEND = 10;
const SEND_INTERVAL_MS = 100;

/** A disturbance of a run. `random` decides its timing; the messages never depend on it. */
export type Disturbance = (run: {
  step: number;
  processors: TestService[];
  pipeline: Pipeline;
  random: () => number;
}) => Promise<void>;

export async function undisturbed(
  connection: PipelineConnection,
  load = workload(LOAD),
): Promise<PipelineOutput> {
  const pipeline = await Pipeline.create({ partitions: PARTITIONS, ...connection });
  const processor = pipeline.startProcessor();
  await pipeline.feed(load);
  await pipeline.settled();
  const output = await pipeline.output();
  await processor.stop();
  return output;
}

/**
 * Sends the load step by step, with a disturbance beside each step, until `count` disturbances are done and all is
 * sent. Waits until all is processed, and returns the output.
 */
export async function disturbed(options: {
  connection: PipelineConnection;
  processors: number;
  /** Settings of the processors that override those of the pipeline. */
  settings?: Readonly<Record<string, string>>;
  count: number;
  load?: readonly NormalizedMessage[];
  disturb: Disturbance;
}): Promise<PipelineOutput> {
  const { connection, settings, count, load: messages = workload(LOAD), disturb } = options;
  const pipeline = await Pipeline.create({ partitions: PARTITIONS, ...connection });
  const processors = Array.from({ length: options.processors }, () => pipeline.startProcessor(settings));
  await Promise.all(processors.map((processor) => processor.ready()));
  const random = seeded();
  const feed = await pipeline.openFeed();
  const size = Math.max(1, Math.min(STEP, Math.floor(messages.length / count)));
  let sent = 0;
  const send = async (upTo: number, pauseMs: number): Promise<void> => {
    while (sent < upTo) {
      const end = Math.min(upTo, sent + SEND);
      const next = messages.slice(sent, end);
      // Like a provider, sends a refused delivery again.
      await untilTrue('the broker takes the messages', () =>
        feed.send(next).then(
          () => true,
          () => false,
        ),
      );
      sent = end;
      await delay(pauseMs);
    }
  };
  for (let step = 0; step < count; step += 1) {
    await Promise.all([
      send(Math.min(messages.length, (step + 1) * size), SEND_INTERVAL_MS),
      disturb({ step, processors, pipeline, random }),
    ]);
  }
  await send(messages.length, 0);
  await feed.close();
  await settledOrLogs(pipeline, processors);
  return pipeline.output();
}

/** Waits until every message is processed. On a timeout it fails with the last lines of the processors' logs. */
export async function settledOrLogs(pipeline: Pipeline, processors: readonly TestService[]): Promise<void> {
  await pipeline.settled().catch((error: unknown) => {
    throw new Error(`${String(error)}\n${processors.map((processor) => processor.log).join('\n---\n')}`);
  });
}

/**
 * Expects the same states, incidents and transitions, each transition published once, and every version of a state
 * among them. When the feed had to repeat messages, offsets of causes are not compared, because each copy of a message
 * has its own offset.
 */
export function expectSame(
  actual: PipelineOutput,
  expected: PipelineOutput,
  { offsets } = { offsets: true },
): void {
  if (!offsets) {
    expectSame(withoutOffsets(actual), withoutOffsets(expected));
    return;
  }
  const ids = actual.transitions.map(({ id }) => id);
  expect(new Set(ids).size, 'every transition is published once').toBe(ids.length);
  expectNoGaps(actual);
  expect(new Set(ids)).toEqual(new Set(expected.transitions.map(({ id }) => id)));
  expect(actual.states).toEqual(expected.states);
  expect(actual.incidents).toEqual(expected.incidents);
  expect(byEvent(actual)).toEqual(byEvent(expected));
}

/**
 * Expects the versions of each event's transitions to count from 1 to the version of its state, in the order
 * of the log.
 */
function expectNoGaps(output: PipelineOutput): void {
  const counted = [...byEvent(output)].map(([event, transitions]): [number, number[]] => [
    event,
    [...new Set(transitions.map(({ version }) => version))],
  ]);
  const known = [...output.states].map(([event, { version }]): [number, number[]] => [
    event,
    Array.from({ length: version }, (_, index) => index + 1),
  ]);
  expect(new Map(counted), 'every version that a state knows of has its transitions').toEqual(new Map(known));
}

const byEvent = ({ transitions }: PipelineOutput) => Map.groupBy(transitions, ({ event_id }) => event_id);

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
