/**
 * Looks at the board of `npm start -- --keep` once a second, as a new user does. The tournament before is played some thousand times
 * as fast as life: REST cannot be read as fast, and a match is over seconds after its kick-off. Its looks do not count.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { touchline } from './platform.ts';

/** Interval of looks, milliseconds. */
const LOOK_MS = 1_000;
/** Number of looks with live matches. */
const LOOKS = 60;
/** Share of them that must have a safe match. */
const GREEN = 0.9;

/** The guard of each live match. The server says `awaited` where a page with scripts says safe once it is connected. */
const LIVE_ROW = /<li id="match-\d+" class="match"[^>]*data-phase="live" data-guard="([a-z_]+)".*?<\/li>/gs;

/** Reads the board once. Returns the guard of each live match, with its text where it is not safe. */
async function look(url: string): Promise<{ readonly live: number; readonly halted: readonly string[] }> {
  const page = await (await fetch(url)).text();
  const rows = [...page.matchAll(LIVE_ROW)];
  const halted = rows
    .filter(([, guard]) => guard !== 'awaited')
    .map(([row]) => row.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' '));
  return { live: rows.length, halted };
}

test('is green at nine tenths of the looks with live matches', { timeout: 600_000 }, async () => {
  const env = {
    DATA_DIR: temporaryFolder(),
    MATCHES: '8',
    DURATION: '10',
    WEBHOOK_PORT: '0',
    API_PORT: '0',
    TOOLS_PORT: '0',
    DISPATCHER_PORT: '0',
  };
  const run = touchline(['demo', '--keep'], env);
  const [, url = ''] = await run.says(/live board: (\S+)/);
  await run.says('is played now');
  const red: string[] = [];
  for (let looks = 0; looks < LOOKS; ) {
    const at = performance.now();
    const { live, halted } = await look(url);
    if (live > 0) looks += 1;
    if (live > 0 && halted.length === live) red.push(halted[0] ?? '');
    await delay(Math.max(0, LOOK_MS - (performance.now() - at)));
  }
  expect(red.length, red.join('\n')).toBeLessThanOrEqual(LOOKS * (1 - GREEN));
});
