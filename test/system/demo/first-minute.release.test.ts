/** Looks at the board of `npm start -- --keep` once a second, as a new user does. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { touchline } from './platform.ts';

/** Interval of looks, milliseconds. */
const LOOK_MS = 1_000;
/** Number of looks with live matches at the tournament, and then at the league. */
const LOOKS = { tournament: 40, league: 60 } as const;
/** Share of live looks that must be green. */
const GREEN = 0.9;

type Look = {
  readonly live: number;
  readonly safe: number;
  /** The guard of each live match that is not safe. */
  readonly reasons: readonly string[];
};

const ROW = /<li id="match-\d+" class="match"[^>]*data-phase="live" data-guard="([a-z_]+)".*?<\/li>/gs;
const REASON = /class="reasons?"[^>]*>(.*?)<\//s;

/** Reads the board once, as a browser without scripts. */
async function look(url: string): Promise<Look> {
  const page = await (await fetch(url)).text();
  const rows = [...page.matchAll(ROW)];
  const halted = rows.filter(([, guard]) => guard !== 'safe');
  return {
    live: rows.length,
    safe: rows.length - halted.length,
    reasons: halted.map(([row]) => REASON.exec(row)?.[1]?.replaceAll(/<[^>]*>/g, '') ?? row),
  };
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
  for (const [part, count] of Object.entries(LOOKS)) {
    if (part === 'league') await run.says('is played now');
    const looks: Look[] = [];
    while (looks.length < count) {
      const at = performance.now();
      const seen = await look(url).catch(() => null);
      if (seen !== null && seen.live > 0) looks.push(seen);
      await delay(Math.max(0, LOOK_MS - (performance.now() - at)));
      if (part === 'tournament' && run.text().includes('is played now')) break;
    }
    const green = looks.filter(({ safe }) => safe > 0);
    const others = looks.filter(({ safe }) => safe === 0).map(({ reasons }) => reasons.slice(0, 2));
    console.log(part, green.length, looks.length, JSON.stringify(others.slice(0, 60)));
    expect(green.length / looks.length, `${part}: ${JSON.stringify(others)}`).toBeGreaterThanOrEqual(GREEN);
  }
});
