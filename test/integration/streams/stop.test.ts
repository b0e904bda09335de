/** A stop at any step, with a broker that responds and with one that hangs. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Kafka } from '#embedded/kafka.ts';
import { atEnd } from '../../support/at-end.ts';
import { bareEnvironment } from '../../support/environment.ts';
import { untilTrue } from '../../support/poll.ts';
import { restartableKafka } from '../../support/restartable-kafka.ts';
import { CountingApplication } from './counting.ts';

const FIXTURE = fileURLToPath(new URL('stop.fixture.ts', import.meta.url));
/** The time limit of a service's stop (libs/service/run-service.ts). */
const LIMIT_MS = 15_000;

const STEPS = ['claim', 'restore', 'process', 'commit'] as const;
type Step = (typeof STEPS)[number];

let kafka: Kafka;
/** An application for each step. */
let applications: Readonly<Record<Step, CountingApplication>>;
beforeAll(async () => {
  ({ kafka } = await restartableKafka());
  const counted = async (step: Step) => [step, await withState()] as const;
  applications = Object.fromEntries(await Promise.all(STEPS.map(counted))) as typeof applications;
});

/** Returns an application that has state to restore. */
async function withState(): Promise<CountingApplication> {
  const counting = await CountingApplication.create({ brokers: kafka.brokers, prefix: 'stop.' });
  const { metric, stream } = await counting.start();
  await counting.send(['a', '1'], ['bb', '1']);
  await untilTrue('both', async () => (await metric('touchline_records_total')) === 2);
  await stream.stop();
  return counting;
}

/** Starts a process, and returns it when it has reached this step. */
async function runTo(step: Step, exit: '0' | '1' = '0'): Promise<ChildProcess> {
  const counting = applications[step];
  const { application, input, counts, letters, brokers } = counting;
  const child = spawn(process.execPath, [FIXTURE], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...bareEnvironment(),
      BROKERS: brokers.join(','),
      APPLICATION: application,
      INPUT: input,
      COUNTS: counts,
      LETTERS: letters,
      STEP: step,
      EXIT: exit,
    },
  });
  atEnd(() => child.kill('SIGKILL'));
  let out = '';
  child.stdout?.on('data', (text) => (out += text));
  await counting.send(['a', '1'], ['bb', '1']);
  await untilTrue(`it is at ${step}`, () => out.includes('there') && out.includes('started'));
  return child;
}

/** Sends SIGTERM, lets it continue from its step, and returns its exit code and the time until its end. */
async function stop(child: ChildProcess): Promise<{ code: number | null; ms: number }> {
  const started = performance.now();
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  child.stdin?.write('on\n');
  const [code] = await ended;
  return { code, ms: performance.now() - started };
}

/** Stops a process at each step, all at once: each may wait for seconds. */
async function expectToStop(children: readonly ChildProcess[]): Promise<void> {
  const stopped = await Promise.all(children.map(stop));
  for (const [at, { code, ms }] of stopped.entries()) {
    expect(code, STEPS[at]).toBe(0);
    expect(ms, STEPS[at]).toBeLessThan(LIMIT_MS);
  }
}

describe(`a stop during ${STEPS.join(', ')}`, () => {
  test('ends in time with a broker that responds', async () => {
    await expectToStop(await Promise.all(STEPS.map((step) => runTo(step))));
  });

  test('ends in time with a broker that hangs', async () => {
    const children = await Promise.all(STEPS.map((step) => runTo(step, '1')));
    await kafka.kill('SIGSTOP');
    try {
      await expectToStop(children);
    } finally {
      await kafka.kill('SIGCONT');
    }
  });
});
