/**
 * A desk's evening: forty matches at once with reviews, a feed that goes down, a server that freezes. At every moment the board says what
 * the records say within two seconds, and nothing is safe on a page that is blind for longer.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { tradingOf } from '#tradability/trading.ts';
import type { FixtureMatch } from '../../../services/api/board/testing/playing.ts';
import { firstHalf, incident } from '../../../services/api/board/testing/scenes.ts';
import { ServedBoard } from '../../../services/api/board/testing/served.ts';
import { TcpProxy } from '../../support/proxy.ts';
import { SEED, seeded } from '../../support/seed.ts';
import { CHROMIUM, NEEDS_CHROMIUM, startChromium, Visit } from './browser.ts';

const MATCHES = 40;
/** What a page may be behind, milliseconds: decision 0030. */
const DELAY_MS = 2_000;
const EVENING_MS = 24_000;
const FEED_DOWN = { from: 6_000, to: 9_000 };
const FROZEN = { from: 13_000, to: 18_000 };

const fixtures: readonly FixtureMatch[] = Array.from({ length: MATCHES }, (_, n) => ({
  id: 2_000 + n,
  home: [50_000 + n, `Home ${n}`],
  away: [60_000 + n, `Away ${n}`],
  event: { start_date: '2026-08-15 15:00' },
}));

/** What is true, or shown, of a match. */
type Row = { readonly score: string; readonly firm: string; readonly guard: string };
type Shown = Row & { readonly id: number };

const READ = `[...document.querySelectorAll('.match')].map((row) => ({
  id: Number(row.id.slice('match-'.length)),
  score: row.querySelector('.score').textContent,
  firm: row.querySelector('.firm b')?.textContent ?? row.querySelector('.score').textContent,
  guard: row.dataset.guard,
}))`;

/** All that was true of each match, and since when. */
class Truth {
  readonly #of = new Map<number, { readonly at: number; readonly row: Row }[]>();

  note(id: number, row: Row): void {
    const known = this.#of.get(id) ?? [];
    this.#of.set(id, known);
    if (JSON.stringify(known.at(-1)?.row) !== JSON.stringify(row)) known.push({ at: performance.now(), row });
  }

  /** What was true at any moment from then on. */
  since(id: number, from: number): readonly Row[] {
    const known = this.#of.get(id) ?? [];
    return known
      .filter((_, n) => (known[n + 1]?.at ?? Number.POSITIVE_INFINITY) >= from)
      .map(({ row }) => row);
  }
}

test.runIf(CHROMIUM !== null)(`the board on a desk’s evening${NEEDS_CHROMIUM}`, async () => {
  const random = seeded();
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const served = await ServedBoard.start();
  const proxy = await TcpProxy.start();
  const browser = await startChromium();
  try {
    const { played } = served;
    const { views } = played;
    const truth = new Truth();
    const note = ({ id }: FixtureMatch): void => {
      const state = views.state(id);
      if (state === null) throw new Error('no match');
      const words = (score: typeof state.score) => (score === null ? '?–?' : `${score.home}–${score.away}`);
      const { permission } = tradingOf(state, views.matchHealth(id, Date.now()));
      truth.note(id, { score: words(state.score), firm: words(state.firm), guard: permission });
    };
    let ut = Math.floor(Date.now() / 1000);
    played.health(null);
    for (const fixture of fixtures) {
      played.health(fixture.id);
      played.publish(fixture, ut, { ...firstHalf(3), reported: [0, 0] }, incident(1, 429, '00:00'));
      note(fixture);
    }
    const goals = new Map<number, number>();
    const happen = (): void => {
      const fixture = pick(fixtures);
      ut += 1;
      const last = goals.get(fixture.id) ?? 1;
      const known = incident(last, 413, '05:00', { participant_id: fixture.home[0], action: 'update' });
      const steps: readonly (() => object)[] = [
        () => {
          goals.set(fixture.id, last + 1);
          const participant_id = pick([fixture.home, fixture.away])[0];
          return incident(last + 1, 413, '05:00', { participant_id, confirmation: 'tbd' });
        },
        () => (last === 1 ? incident(900 + ut, 1827, '05:00') : { ...known, confirmation: 'confirmed' }),
        () => (last === 1 ? incident(900 + ut, 1834, '05:00') : { ...known, confirmation: 'cancelled' }),
        () => incident(900 + ut, 2753, '06:00'),
      ];
      played.publish(fixture, ut, firstHalf(4), pick(steps)() as Record<string, unknown>);
      note(fixture);
    };

    proxy.forwardTo(Number(new URL(await served.listen()).port));
    const visit = await Visit.open(browser, `http://localhost:${proxy.ports[0]}/?by=halted`);
    await visit.until(`document.querySelectorAll('[data-guard="safe"]').length === ${MATCHES}`);

    const begun = performance.now();
    let [isDown, isFrozen, samples, safe] = [false, false, 0, 0];
    let [frozenAt, resumedAt] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    const wrong: string[] = [];
    for (let at = 0; at < EVENING_MS; at = performance.now() - begun) {
      happen();
      if (!isDown && at >= FEED_DOWN.from && at < FEED_DOWN.to) {
        isDown = true;
        played.health(null, { state: 'down', reason: 'network' });
        fixtures.forEach(note);
      } else if (isDown && at >= FEED_DOWN.to) {
        isDown = false;
        played.health(null);
        fixtures.forEach(note);
      }
      if (!isFrozen && at >= FROZEN.from && frozenAt === Number.POSITIVE_INFINITY) {
        isFrozen = true;
        frozenAt = performance.now();
        proxy.freeze();
      } else if (isFrozen && at >= FROZEN.to) {
        isFrozen = false;
        proxy.resume();
        resumedAt = performance.now();
      }
      const asked = performance.now();
      const shown = await visit.ask<Shown[]>(READ);
      samples += 1;
      // Held back words count from the freeze on, until the page has caught up with what came after it.
      const wasFrozen = asked >= frozenAt && asked < resumedAt + DELAY_MS;
      const from = (wasFrozen ? Math.min(frozenAt, asked) : asked) - DELAY_MS;
      for (const row of shown) {
        if (row.guard === 'safe') safe += 1;
        const rows = truth.since(row.id, from);
        const fits = rows.some(({ score, firm }) => score === row.score && firm === row.firm);
        const guards = rows.some(({ guard }) => guard === row.guard) || (wasFrozen && row.guard === 'halted');
        const blind = isFrozen && asked > frozenAt + DELAY_MS && row.guard === 'safe';
        if (!fits || !guards || blind)
          wrong.push(`${Math.round(at)} ms: ${JSON.stringify([row, rows, { blind }])}`);
      }
      await delay(60);
    }
    process.stdout.write(
      `a desk’s evening, seed ${SEED}: ${samples} looks at ${MATCHES} matches, ${safe} times safe\n`,
    );
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(safe).toBeGreaterThan(0);
    expect(visit.complaints).toEqual([]);
  } finally {
    await browser.close();
    await proxy.close();
    await served.close();
  }
});
