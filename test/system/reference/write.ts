/** Writes the examples of the reference from a demonstration that it starts and stops: `npm run examples`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exampleFile } from '../../../services/api/docs/examples.ts';
import { until } from '../../support/poll.ts';
import { collectExamples, type Demonstration, demonstrationIn } from './collect.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'touchline-examples-'));
const demo = spawn(process.execPath, ['bin/touchline.js', 'demo', '--keep'], {
  cwd: join(import.meta.dirname, '../../..'),
  stdio: ['ignore', 'pipe', 'inherit'],
  env: {
    ...process.env,
    DATA_DIR: dataDir,
    MATCHES: '4',
    AFTERWARDS: 'nothing',
    DURATION: '8',
    FAULTS: 'none',
    SEED: 'examples',
    API_PORT: '0',
    WEBHOOK_PORT: '0',
    TOOLS_PORT: '0',
    DISPATCHER_PORT: '0',
  },
});
const ended = once(demo, 'close');
try {
  const of = await leftRunning();
  // The last polls may still be pending.
  let before = '';
  const examples = await until('the answers stand still', async () => {
    const collected = await collectExamples(of);
    const text = JSON.stringify([...collected]);
    const isSame = text === before;
    before = text;
    if (isSame) return collected;
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    return undefined;
  });
  for (const [name, example] of examples) {
    writeFileSync(exampleFile(name), `${JSON.stringify(example, null, 2)}\n`);
  }
} finally {
  demo.kill('SIGINT');
  await ended;
  rmSync(dataDir, { recursive: true, force: true });
}

async function leftRunning(): Promise<Demonstration> {
  let printed = '';
  for await (const part of demo.stdout) {
    process.stdout.write(part);
    printed += part;
    const found = demonstrationIn(printed);
    if (found !== null) {
      demo.stdout.resume();
      return found;
    }
  }
  throw new Error('the demonstration ended before it was played');
}
