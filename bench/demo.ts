/** Measures `npm start` after its downloads: the time until the board has a goal, and the total time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '#embedded/ports.ts';
import type { Bench, BenchContext } from './context.ts';
import { sizeOf } from './size.ts';

/** Number of the tournament's 64 matches to play. */
const MATCHES = sizeOf(null, 64, 1);
const SECONDS = sizeOf(null, 60, 5);
/** Targets, seconds from the start of the command. */
const TARGETS = { goal: 15, all: 90 };
const POLL_MS = 50;
const A_GOAL = /"score":\{"home":(?:[1-9]|0,"away":[1-9])/;

export const bench: Bench = {
  about: 'the demonstration, from the command to the first goal on the board and to its end',
  subject: ['cli', 'libs/embedded', 'services'],
  async run(context) {
    const port = await freePort();
    const started = performance.now();
    const seconds = () => (performance.now() - started) / 1_000;
    const over = new AbortController();
    const ended = play(context, port, (line) => context.print(`${seconds().toFixed(1)} s: ${line}`));
    const goal = firstGoal(port, over.signal).then(seconds);
    // If the demonstration fails, that error is reported instead.
    goal.catch(() => {});
    try {
      const code = await ended;
      if (code !== 0) throw new Error(`the demonstration ended with exit code ${code}`);
      const all = seconds();
      const figure = (name: string, ours: number, wanted: number) =>
        context.figure({
          name,
          ours,
          beside: { name: 'wanted', value: wanted },
          unit: 's',
          better: 'less',
          target: 1,
        });
      figure('first goal on the board', await goal, TARGETS.goal);
      figure('all of the demonstration', all, TARGETS.all);
    } finally {
      over.abort();
    }
  },
};

/** Runs the demonstration with its own broker, and resolves to its exit code. */
async function play({ dir }: BenchContext, apiPort: number, onLine: (line: string) => void) {
  const { KAFKA_BROKERS, SCHEMA_REGISTRY_URL, ...env } = process.env;
  const child = spawn(process.execPath, [join(import.meta.dirname, '../bin/touchline.js'), 'demo'], {
    env: {
      ...env,
      DATA_DIR: await mkdtemp(join(dir, 'demo-')),
      API_PORT: String(apiPort),
      MATCHES: String(MATCHES),
      DURATION: String(SECONDS),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  createInterface({ input: child.stdout }).on('line', onLine);
  const [code] = await once(child, 'exit');
  return code as number | null;
}

/** Waits until the board's stream has a match with a goal. */
async function firstGoal(port: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const response = await fetch(`http://127.0.0.1:${port}/board/events`, { signal }).catch(() => null);
    let text = '';
    for await (const chunk of response?.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (A_GOAL.test(text)) return;
      // One record may be split between two chunks.
      text = text.slice(text.lastIndexOf('\n'));
    }
    await delay(POLL_MS);
  }
}
