import { createConnection, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { firstHalf, SERBIA_BRAZIL as match } from './testing/scenes.ts';
import { ServedBoard } from './testing/served.ts';

/** Polling with a timeout for busy machines. */
const POLLING = { timeout: 50_000, interval: 20 };

/** The data of a `match` event. */
type Row = { readonly version: number; readonly html: string };
type Frame = { readonly event: string; readonly data: Record<string, unknown> };

let served: ServedBoard;
beforeEach(async () => {
  served = await ServedBoard.start({ maxReaders: 2 });
  kick(0);
});

let ut = Math.floor(Date.now() / 1000) - 60;
/** Publishes the clock of the match, so its state has a new version. */
function kick(minute: number): void {
  ut += 1;
  served.played.publish(match, ut, firstHalf(minute));
}

/** A reader that can pause reading. */
class SlowReader {
  readonly socket: Socket;
  #text = '';
  ended = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    onTestFinished(() => void socket.destroy());
    socket.on('data', (bytes) => {
      this.#text += String(bytes);
    });
    socket.on('end', () => {
      this.ended = true;
    });
    socket.on('error', () => {});
  }

  static async open(of: ServedBoard, path = '/board/events', headers = ''): Promise<SlowReader> {
    const { port } = new URL(await of.listen());
    const socket = createConnection(Number(port), '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
    return new SlowReader(socket);
  }

  get head(): string {
    return this.#text.slice(0, this.#text.indexOf('\r\n\r\n'));
  }

  /** All received frames except heartbeats, whose number depends on time. */
  get frames(): Frame[] {
    return [...this.#text.matchAll(/event: (?!beat)(\w+)\ndata: (.*)\n\n/g)].map(
      ([, event = '', data = '']) => ({ event, data: JSON.parse(data) }),
    );
  }

  get matches(): Row[] {
    return this.frames.filter(({ event }) => event === 'match').map(({ data }) => data as Row);
  }

  async until(what: string, holds: (reader: this) => boolean): Promise<void> {
    await expect.poll(() => holds(this), { ...POLLING, message: what }).toBe(true);
  }
}

describe('/board/events', () => {
  test('sends a snapshot and then changes, even if the reader names the last event that it has', async () => {
    for (const headers of ['', 'Last-Event-ID: 77\r\n']) {
      const reader = await SlowReader.open(served, '/board/events', headers);
      await reader.until('the snapshot', ({ matches }) => matches.length === 1);
      expect(reader.frames[0]).toMatchObject({ event: 'snapshot', data: { event_ids: [match.id] } });
      expect(reader.head).toContain('text/event-stream');
      const { version } = served.played.views.matches.state(match.id) ?? { version: 0 };
      kick(version + 5);
      await reader.until('the change', ({ matches }) => matches.at(-1)?.version === version + 1);
    }
  });

  test('sends changed health of feeds and matches, also when it changes only with time', async () => {
    const validUntil = Date.now() + 1_500;
    served.played.health(null, { valid_until: validUntil });
    served.played.health(match.id);
    const reader = await SlowReader.open(served);
    const feeds = () => reader.frames.filter(({ event }) => event === 'feeds').map(({ data }) => data);
    await reader.until('the snapshot', () => feeds().length === 1 && reader.matches.length > 0);
    expect(feeds()).toEqual([{ believed: 'all', words: 'Up to date' }]);
    expect(reader.matches.at(-1)?.html).toContain('title="score unknown"');
    await reader.until('it is expired', () => feeds().length > 1);
    expect(Date.now()).toBeGreaterThanOrEqual(validUntil);
    expect(feeds().at(-1)).toMatchObject({ believed: 'none' });
    const isHalted = (why: string) => () =>
      reader.matches.at(-1)?.html.includes(`>score unknown, feed ${why}`) === true;
    await reader.until('its match is too', isHalted('health unknown'));
    served.played.health(match.id, { state: 'stale', reason: 'silence' });
    served.played.health(null);
    await reader.until('it is stale', isHalted('stale'));
  });

  test('more readers than are allowed are refused, and counted', async () => {
    const readers = [await SlowReader.open(served), await SlowReader.open(served)];
    for (const reader of readers) await reader.until('its snapshot', ({ frames }) => frames.length > 0);
    expect(await served.metric('touchline_board_readers')).toBe(2);
    const url = `${await served.listen()}/board/events`;
    // Its stream would have no end, and a place among the readers.
    expect(await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(5_000) })).toMatchObject({
      status: 404,
    });
    const refused = await fetch(url);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
    expect(await served.metric('touchline_board_readers_refused_total')).toBe(1);
    readers[0]?.socket.destroy();
    await expect.poll(() => served.metric('touchline_board_readers'), POLLING).toBe(1);
  });

  test('a reader that does not read costs no more than the newest state of each match', async () => {
    const { views } = served.played;
    const busy = await ServedBoard.start({ view: views });
    const reader = await SlowReader.open(busy);
    await reader.until('the snapshot', ({ matches }) => matches.length === 1);
    reader.socket.pause();
    const state = views.matches.state(match.id);
    if (state === null) throw new Error('no match');
    // Some 50 MB if each change were kept: far more than all buffers on the way hold.
    const [events, rounds] = [2_000, 40];
    for (let round = 1; round <= rounds; round += 1) {
      for (let event = 1; event <= events; event += 1)
        views.events.emit('match', { ...state, event_id: event, version: round });
      await delay(60);
    }
    reader.socket.resume();
    const newest = (): number => reader.matches.filter(({ version }) => version === rounds).length;
    await reader.until('the newest state of each', () => newest() === events);
    expect(reader.matches.length).toBeLessThan((events * rounds) / 2);
  });

  test('ends its streams when the server closes', async () => {
    const reader = await SlowReader.open(served);
    await reader.until('the snapshot', ({ matches }) => matches.length === 1);
    await served.app.close();
    await reader.until('its end', ({ ended }) => ended);
  });
});
