/**
 * Looks at the board of `npm start -- --keep` once a second from its first match on, as a new user does. The tournament is played some
 * thousand times as fast as life: a match may be over before match state has it, and REST cannot be read as fast. Those are the only
 * reasons, beside the guards of the matches, for which the demonstration means none to be safe.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { touchline } from './platform.ts';

/** Interval of looks, milliseconds. */
const LOOK_MS = 1_000;
/** Number of looks with live matches of the league. */
const LOOKS = 60;
/** Share of the looks that must have a safe match, and in the tournament one that is safe or halted as it is meant. */
const GREEN = 0.9;
/** Why a feed is not believed, but for what the speed of the tournament causes: match state is behind, or the REST feed. */
const TROUBLE = /feed (?!ended|down \(our own delay\)|recovering \()/;

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
  const tournament = { looks: 0, green: 0, red: [] as string[] };
  const league = { looks: 0, green: 0, red: [] as string[] };
  while (league.looks < LOOKS) {
    const at = performance.now();
    const phase = run.text().includes('is played now') ? league : tournament;
    const { live, halted } = await look(url);
    if (live > 0) phase.looks += 1;
    if (live > halted.length) phase.green += 1;
    else if (live > 0 && (phase === league || halted.some((text) => TROUBLE.test(text))))
      phase.red.push(halted[0] ?? '');
    await delay(Math.max(0, LOOK_MS - (performance.now() - at)));
  }
  const counted = [tournament, league].map(
    ({ looks, green, red }) => `${green} of ${looks} green, ${red.length} red`,
  );
  process.stdout.write(`looks at the tournament: ${counted[0]}; at the league: ${counted[1]}\n`);
  for (const { looks, red } of [tournament, league]) {
    expect(looks).toBeGreaterThan(0);
    expect(red.length, red.join('\n')).toBeLessThanOrEqual(looks * (1 - GREEN));
  }
});
