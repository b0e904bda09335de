/**
 * `npm run screenshot`: starts the demonstration, waits until several matches are live, one is under review and two are
 * safe, and writes docs/images/board.png. With an address (`npm run screenshot -- http://localhost:8081/`) it uses a
 * running board.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startChromium, Visit } from '../test/integration/board/browser.ts';

const ROOT = join(import.meta.dirname, '..');
const IMAGE = join(ROOT, 'docs/images/board.png');
const SIZE = { width: 1100, height: 700 };
const MAX_BYTES = 150_000;
/** Slow enough that several matches of one afternoon are in play at once. */
const PLAY_SECONDS = '150';
const LIVE = `document.querySelectorAll('.match[data-guard="safe"]').length >= 2 && document.querySelector('.firm') !== null && document.querySelector('#feeds .halted') === null`;

const [address] = process.argv.slice(2);
if (address === undefined) await withDemonstration(take);
else await take(address);

async function take(url: string): Promise<void> {
  const browser = await startChromium();
  try {
    // Halted first: a match under review is in view.
    const board = new URL('/?by=halted', url).href;
    const visit = await Visit.open(browser, board, {
      ...SIZE,
      features: { 'prefers-color-scheme': 'light' },
    });
    await visit.live();
    await visit.until(LIVE);
    await mkdir(dirname(IMAGE), { recursive: true });
    await visit.page.screenshot({ path: IMAGE });
  } finally {
    await browser.close();
  }
  const { size } = await stat(IMAGE);
  if (size > MAX_BYTES) throw new Error(`the picture has ${size} bytes, more than ${MAX_BYTES}`);
  console.log(`${IMAGE}: ${size} bytes`);
}

/** Runs the demonstration until `use` has finished with its board. */
async function withDemonstration(use: (url: string) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'touchline-screenshot-'));
  const child = spawn(process.execPath, ['bin/touchline.js', 'demo'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, DATA_DIR: dataDir, DURATION: PLAY_SECONDS },
  });
  const ended = once(child, 'exit');
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let printed = '';
      child.stdout.setEncoding('utf8').on('data', (part: string) => {
        printed += part;
        const [, found] = /live board[^\n]*?(http\S+)\n/.exec(printed) ?? [];
        if (found !== undefined) resolve(found);
      });
      child.on('error', reject);
      ended.then(() => reject(new Error(`the demonstration ended:\n${printed}`)), reject);
    });
    await use(url);
  } finally {
    child.kill('SIGINT');
    await ended;
    await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
  }
}
