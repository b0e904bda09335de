import { beforeEach, expect, test } from 'vitest';
import type { ConnectionEvents } from './connection.ts';
import { SharedStreams, type StreamMessage } from './shared-streams.ts';

/** A tab that records what it receives, in short. */
class Tab {
  readonly got: string[] = [];

  postMessage(message: StreamMessage): void {
    this.got.push(message.kind === 'event' ? `${message.name} ${message.data}` : message.kind);
  }

  /** Returns what arrived since the last call. */
  news(): string[] {
    return this.got.splice(0);
  }
}

let now = 0;
let events: ConnectionEvents;
let followed: (readonly string[])[] = [];
let streams: SharedStreams;

beforeEach(() => {
  now = 1_000;
  followed = [];
  streams = new SharedStreams(
    (callbacks) => {
      events = callbacks;
      return {
        get parts() {
          return followed.at(-1) ?? [];
        },
        follow: (parts) => void followed.push(parts),
      };
    },
    () => now,
  );
});

function join(part: string): Tab {
  const tab = new Tab();
  streams.take(tab, { join: part });
  return tab;
}

const beat = (at: number) => JSON.stringify({ now: at, steady: at });
const snapshot = (at: number, ...event_ids: number[]) => JSON.stringify({ now: at, steady: at, event_ids });
const state = (event_id: number, version: number) => JSON.stringify({ event_id, version });

test('follows a part once, however many tabs show it', () => {
  join('');
  join('');
  join('event=5');
  expect(followed).toEqual([[''], ['', 'event=5']]);
});

test('gives a new tab the state that the others have, as old as it is', () => {
  const first = join('');
  events.onOpen();
  events.onEvent('', 'snapshot', snapshot(1, 7, 8));
  events.onEvent('', 'match', state(7, 1));
  events.onEvent('', 'match', state(8, 1));
  events.onEvent('', 'match', state(7, 2));
  events.onEvent('', 'feeds', '[]');
  events.onEvent('', 'gone', '{"event_id":8}');
  expect(first.news()).toHaveLength(7);
  now += 1_200;
  const ages: number[] = [];
  const late = new Tab();
  streams.take(
    {
      postMessage(message) {
        if (message.kind === 'event') ages.push(message.age);
        late.postMessage(message);
      },
    },
    { join: '' },
  );
  expect(late.news()).toEqual(['open', `snapshot ${snapshot(1, 7)}`, `match ${state(7, 2)}`, 'feeds []']);
  expect(ages).toEqual([1_200, 1_200, 1_200]);
});

test('sends the other tabs only what differs when a new tab needs another connection', () => {
  const board = join('');
  events.onOpen();
  events.onEvent('', 'snapshot', snapshot(1, 7, 8));
  events.onEvent('', 'match', state(7, 1));
  events.onEvent('', 'match', state(8, 1));
  board.news();
  const page = join('event=7');
  expect(page.news()).toEqual([]);
  events.onOpen();
  events.onEvent('', 'snapshot', snapshot(2, 7));
  events.onEvent('', 'match', state(7, 1));
  events.onEvent('event=7', 'snapshot', snapshot(2, 7));
  events.onEvent('event=7', 'match', state(7, 1));
  expect(board.news()).toEqual(['open', 'gone {"event_id":8}', `beat ${snapshot(2, 7)}`, 'table {}']);
  expect(page.news()).toEqual(['open', `snapshot ${snapshot(2, 7)}`, `match ${state(7, 1)}`]);
});

test('forgets the state with a lost connection, and tells the tabs', () => {
  const tab = join('');
  events.onOpen();
  events.onEvent('', 'snapshot', snapshot(1, 7));
  events.onEvent('', 'match', state(7, 1));
  events.onLost();
  expect(tab.news().at(-1)).toBe('lost');
  const late = join('');
  expect(late.news()).toEqual(['lost']);
  expect(followed, 'a new tab asks at once').toHaveLength(2);
  events.onOpen();
  events.onEvent('', 'snapshot', snapshot(5, 7));
  events.onEvent('', 'match', state(7, 1));
  for (const one of [tab, late])
    expect(one.news()).toEqual(['open', `snapshot ${snapshot(5, 7)}`, `match ${state(7, 1)}`]);
});

test('tells only the tabs of a part that the contract does not cover', () => {
  const [board, table] = [join(''), join('season=1')];
  events.onOpen();
  events.onEvent('season=1', 'refused', '{}');
  events.onEvent('', 'snapshot', snapshot(1));
  expect(table.news()).toEqual(['open', 'lost']);
  expect(board.news()).toEqual(['open', `snapshot ${snapshot(1)}`]);
});

test('stops to follow a part some time after its last tab was closed or fell silent', () => {
  const [closed, silent, open] = [join('event=1'), join('event=2'), join('')];
  streams.take(closed, 'leave');
  now += 9_000;
  streams.tick();
  expect(followed).toHaveLength(3);
  now += 2_000;
  streams.tick();
  expect(followed.at(-1)).toEqual(['event=2', '']);
  now += 80_000;
  streams.take(open, 'alive');
  streams.tick();
  now += 11_000;
  streams.tick();
  expect(followed.at(-1)).toEqual(['']);
  events.onEvent('', 'beat', beat(3));
  expect([silent.news(), open.news()]).toEqual([[], [`beat ${beat(3)}`]]);
});
