/** Reads the board in a browser many times a second, and compares it with the topics. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Visit } from '../../integration/board/browser.ts';
import { DEADLINE_MS } from '../../support/poll.ts';
import type { RowWords, TopicHistory } from './topic-history.ts';

/** Maximum delay of the board, milliseconds: decision 0030. */
export const BOARD_DELAY_MS = 2_000;
const READING_INTERVAL_MS = 40;

/** Content of the page. */
type Page = {
  /** Whether the page says that it is up to date. */
  readonly isLive: boolean;
  readonly rows: readonly (RowWords & { readonly id: number })[];
};

/** Content of the page at some time between `asked` and `answered`, Unix milliseconds. */
type Look = Page & { readonly asked: number; readonly answered: number };

/** A period in which no reader may see a match as safe, Unix milliseconds. */
type BlindTime = { readonly from: number; readonly to: number };

/** Reads the page in the browser. A doubted result counts as not in play. */
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

  /** Reads the page until the condition holds. */
  async until(what: string, holds: (page: Page) => boolean): Promise<void> {
    const deadline = performance.now() + DEADLINE_MS;
    while (performance.now() < deadline) {
      const asked = Date.now();
      const page = await this.#visit.ask<Page>(READ);
      this.#looks.push({ asked, answered: Date.now(), ...page });
      if (holds(page)) return;
      await delay(READING_INTERVAL_MS);
    }
    throw new Error(`not within ${DEADLINE_MS} ms: ${what}`);
  }

  /** Reads the page `count` times. */
  async times(count: number): Promise<void> {
    const end = this.#looks.length + count;
    await this.until(`${count} looks`, () => this.#looks.length >= end);
  }

  /** Records that no reader may have seen a match as safe from then until now. */
  wasBlindSince(from: number): void {
    this.#blind.push({ from, to: Date.now() });
  }

  /**
   * Returns all errors: a row that was never true within the delay before the reading, a row that is safe in a blind
   * period, an unknown match. A page that says that it is not up to date, or a row that awaits the next update, may
   * show an older truth without safe. The duration of a reading is added to the delay, because it depends on the
   * machine.
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

  /** Describes the readings, and the delay of the page while it said that it was up to date. */
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
