/**
 * Looks at the board of `npm start -- --keep` once a second from its first match on, as a new user does. The demonstration means no match
 * to be safe where the guards of all live matches are closed by what happens in them: half-time, a goal in review, suspended bets.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { touchline } from './platform.ts';

/** Interval of looks, milliseconds. */
const LOOK_MS = 1_000;
/** Number of looks with live matches of the league. */
const LOOKS = 60;
/** Share of the looks that must be green: with a safe match, or with no match that is halted for its feed. */
const GREEN = 0.9;
/** Why a match is halted for its feed. */
const FEED_TROUBLE = /feed |no word/;

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
    WEBHOOK_PORT: '0',
    API_PORT: '0',
    TOOLS_PORT: '0',
    DISPATCHER_PORT: '0',
  };
  const run = touchline(['demo', '--keep'], env);
  const [, url = ''] = await run.says(/live board: (\S+)/);
  const tournament = { looks: 0, safe: 0, red: [] as string[] };
  const league = { looks: 0, safe: 0, red: [] as string[] };
  while (league.looks < LOOKS) {
    const at = performance.now();
    const phase = run.text().includes('is played now') ? league : tournament;
    const { live, halted } = await look(url);
    const troubled = halted.find((text) => FEED_TROUBLE.test(text));
    if (live > 0) phase.looks += 1;
    if (live > halted.length) phase.safe += 1;
    else if (troubled !== undefined) phase.red.push(troubled);
    await delay(Math.max(0, LOOK_MS - (performance.now() - at)));
  }
  const counted = [tournament, league].map(
    ({ looks, safe, red }) => `${safe} of ${looks} with a safe match, ${red.length} red`,
  );
  process.stdout.write(`looks at the tournament: ${counted[0]}; at the league: ${counted[1]}\n`);
  for (const { looks, red } of [tournament, league]) {
    expect(looks).toBeGreaterThan(0);
    expect(red.length, red.join('\n')).toBeLessThanOrEqual(looks * (1 - GREEN));
  }
});
