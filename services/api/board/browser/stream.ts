/** The reader's end of `/board/events`: it says what arrives, and how long ago anything did. */
import { LastWord, type ShownMoment, type SpokenWord, type Word } from '../shown/last-word.ts';
import { everyTick } from './ticks.ts';

/** Beats come every second; older than this the server's word does not count: it is withdrawn within two seconds. */
const FRESH_MS = 1_750;
/** Without a word for so long the connection is opened again, whatever the browser believes. */
const REOPEN_AFTER_MS = 5_000;
const REOPEN_MS = { first: 1_000, last: 15_000 };

export type StreamEvents = {
  /** Data of an event by its name. */
  readonly on: Readonly<Record<string, (data: unknown) => void>>;
  /** Called when the word begins or ceases to count. */
  readonly onWord: (word: Word) => void;
  /** Called ten times a second with the seconds since the last word; null before the first. */
  readonly onTick: (age: number | null) => void;
};

/** Follows a stream for as long as the page lives, and opens it again whenever it is lost. Gives the moment that is to be shown. */
export function followStream(url: string, { on, onWord, onTick }: StreamEvents): () => ShownMoment {
  const last = new LastWord();
  let source: EventSource | undefined;
  let word: Word = 'awaited';
  let isOpen = false;
  let hasFailed = false;
  let wait = REOPEN_MS.first;
  /** The server's clock less the page's steady one, seconds. */
  let offset = Number.NaN;
  /** When the connection is given up, or the next one opened, by the page's steady clock. */
  let [reopenAt, openAt] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];

  const hear = ({ now, steady }: SpokenWord): void => {
    const at = performance.now();
    last.hear(steady, at);
    offset = now - at / 1000;
    isOpen = true;
    wait = REOPEN_MS.first;
    reopenAt = at + REOPEN_AFTER_MS;
    look();
  };
  const lose = (): void => {
    source?.close();
    isOpen = false;
    hasFailed = true;
    reopenAt = Number.POSITIVE_INFINITY;
    openAt = performance.now() + wait;
    wait = Math.min(wait * 2, REOPEN_MS.last);
    look();
  };
  const open = (): void => {
    openAt = Number.POSITIVE_INFINITY;
    reopenAt = performance.now() + REOPEN_AFTER_MS;
    last.connect();
    source = new EventSource(url);
    for (const [name, take] of Object.entries(on))
      source.addEventListener(name, (event) => take(JSON.parse(event.data)));
    // After those: once the word counts, what it is of is known.
    for (const name of ['snapshot', 'beat'])
      source.addEventListener(name, (event) => hear(JSON.parse(event.data) as SpokenWord));
    source.addEventListener('error', lose);
  };
  const look = (): void => {
    const at = performance.now();
    const age = last.age(at);
    const isFresh = isOpen && age < FRESH_MS;
    const current = isFresh ? 'fresh' : isOpen || hasFailed ? 'lost' : 'awaited';
    if (current !== word) {
      word = current;
      onWord(word);
    }
    onTick(Number.isFinite(age) ? age / 1000 : null);
    if (at >= reopenAt) lose();
    if (at >= openAt) open();
  };
  open();
  everyTick(look);
  return () => {
    const at = performance.now() / 1000;
    const now = offset + at - (word === 'lost' ? last.age(at * 1000) / 1000 : 0);
    return { now: Number.isNaN(now) ? Date.now() / 1000 : now, word };
  };
}
