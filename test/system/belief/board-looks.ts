/** Looks at the board in a browser, many a second, and what is wrong with them by the topics. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Visit } from '../../integration/board/browser.ts';
import { DEADLINE_MS } from '../../support/poll.ts';
import type { RowWords, TopicHistory } from './topic-history.ts';

/** What the board may be behind, milliseconds: decision 0030. */
export const BOARD_DELAY_MS = 2_000;
const EVERY_MS = 40;

/** What the page says. */
type Page = {
  /** Whether it says that it is up to date. */
  readonly isLive: boolean;
  readonly rows: readonly (RowWords & { readonly id: number })[];
};

/** What it says at one moment between `asked` and `answered`, Unix milliseconds. */
type Look = Page & { readonly asked: number; readonly answered: number };

/** A time in which no match may be safe for anyone, Unix milliseconds. */
type BlindTime = { readonly from: number; readonly to: number };

/** A result that is doubted is not in play either. */
const READ = `({
  isLive: document.getElementById('connection').dataset.state === 'live',
  rows: [...document.querySelectorAll('.match')].map((row) => {
    const score = row.querySelector('.score').textContent;
    return {
      id: Number(row.id.slice('match-'.length)),
      score,
      firm: row.querySelector('.firm b')?.textContent ?? score,
      guard: row.dataset.guard === 'check' ? 'not_in_play' : row.dataset.guard,
    };
  }),
})`;

export class BoardLooks {
  readonly #visit: Visit;
  readonly #looks: Look[] = [];
  readonly #blind: BlindTime[] = [];

  constructor(visit: Visit) {
    this.#visit = visit;
  }

  /** Looks until that holds of what is seen. */
  async until(what: string, holds: (page: Page) => boolean): Promise<void> {
    const deadline = performance.now() + DEADLINE_MS;
    while (performance.now() < deadline) {
      const asked = Date.now();
      const page = await this.#visit.ask<Page>(READ);
      this.#looks.push({ asked, answered: Date.now(), ...page });
      if (holds(page)) return;
      await delay(EVERY_MS);
    }
    throw new Error(`not within ${DEADLINE_MS} ms: ${what}`);
  }

  /** Looks for so many times. */
  async times(count: number): Promise<void> {
    const end = this.#looks.length + count;
    await this.until(`${count} looks`, () => this.#looks.length >= end);
  }

  /** No match was safe for anyone from then until now. */
  wasBlindSince(from: number): void {
    this.#blind.push({ from, to: Date.now() });
  }

  /**
   * What was wrong: a row that was true at no moment since the delay before the look; one that is safe while everyone is blind; a match
   * that is not there. A page that says that it is not up to date believes nothing, and shows what was true when it was; so does a row that
   * awaits the next update. The time that a look took is the machine's, and is granted to the page too.
   */
  wrong(history: TopicHistory): string[] {
    let currentAt = 0;
    return this.#looks.flatMap(({ asked, answered, isLive, rows }) => {
      if (isLive && rows.every(({ guard }) => guard !== 'awaited')) currentAt = asked;
      const late = answered - asked;
      const isBlind = this.#blind.some(({ from, to }) => asked - late > from && answered < to);
      const missing = history.ids.filter((one) => rows.filter(({ id }) => id === one).length !== 1);
      const wrong = rows.filter(({ id, ...row }) => {
        const behind =
          isLive && row.guard !== 'awaited'
            ? history.behind(id, row, asked, answered)
            : history.withdrawnBehind(id, row, currentAt, answered);
        return behind > BOARD_DELAY_MS + late || (isBlind && row.guard === 'safe');
      });
      return [
        ...missing.map((id) => `${asked}: ${id} is not there once`),
        ...wrong.map(
          (row) =>
            `${asked}: ${JSON.stringify({ ...row, isLive, isBlind })}, by the topics ${history.words(row.id, asked - 2 * BOARD_DELAY_MS, answered)}`,
        ),
      ];
    });
  }

  /** What was looked at, in words; how far the page was behind where it said that it was up to date. */
  summary(history: TopicHistory): string {
    const live = this.#looks.filter(({ isLive }) => isLive);
    const rows = live.flatMap(({ rows, asked, answered }) =>
      rows
        .filter(({ guard }) => guard !== 'awaited')
        .map(({ id, ...row }) => ({ row, behind: history.behind(id, row, asked, answered) })),
    );
    const safe = rows.filter(({ row }) => row.guard === 'safe').length;
    const furthest = rows.reduce((most, { behind }) => Math.max(most, behind), 0);
    const latest = this.#looks.reduce((most, { asked, answered }) => Math.max(most, answered - asked), 0);
    return `${live.length} of ${this.#looks.length} looks up to date, ${safe} of ${rows.length} rows safe, at most ${furthest} ms behind, looks of at most ${latest} ms`;
  }
}
