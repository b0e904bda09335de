/** A stop at any step, with a broker that answers and with one that hangs. */
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

let kafka: Kafka;
let counting: CountingApplication;
beforeAll(async () => {
  ({ kafka } = await restartableKafka());
  counting = await CountingApplication.create({ brokers: kafka.brokers, prefix: 'stop.' });
  // The state to restore.
  const { metric, stream } = await counting.start();
  await counting.send(['a', '1'], ['bb', '1']);
  await untilTrue('both', async () => (await metric('touchline_records_total')) === 2);
  await stream.stop();
});

/** A process that has reached this step. */
async function runTo(step: string, exit: '0' | '1' = '0'): Promise<ChildProcess> {
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

describe.each(['claim', 'restore', 'process', 'commit'])(
  'a stop in the middle of a %s ends in time',
  (step) => {
    test('with a broker that answers', async () => {
      const { code, ms } = await stop(await runTo(step));
      expect(code).toBe(0);
      expect(ms).toBeLessThan(LIMIT_MS);
    });

    test('with a broker that hangs', async () => {
      const child = await runTo(step, '1');
      await kafka.kill('SIGSTOP');
      try {
        const { code, ms } = await stop(child);
        expect(code).toBe(0);
        expect(ms).toBeLessThan(LIMIT_MS);
      } finally {
        await kafka.kill('SIGCONT');
      }
    });
  },
);
