/** Passes the events of one connection on to the tabs of a browser, and gives a new tab what the others know. */
import type { ConnectionEvents, StreamEventName } from './connection.ts';
import type { Heartbeat } from './heartbeat.ts';

/** A message to a tab. `age`: how long ago the event arrived, milliseconds; 0 unless it was kept for this tab. */
export type StreamMessage =
  | { readonly kind: 'open' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'event'; readonly name: StreamEventName; readonly data: string; readonly age: number };

/** A message of a tab. `join`: it follows this part of the board from now on. `alive`: it still does. */
export type TabMessage = { readonly join: string } | 'alive' | 'leave';

/** Time without a message after which a tab counts as closed, milliseconds. A tab sends one every `ALIVE_MS`. */
const SILENT_TAB_MS = 90_000;
/** Interval of a tab's messages, milliseconds. */
export const ALIVE_MS = 20_000;
/** Time for which a part that no tab follows stays in the connection, milliseconds: a reader may only have followed a link. */
const UNUSED_MS = 10_000;

type Tab = { postMessage(message: StreamMessage): void };
type Connected = { readonly parts: readonly string[]; follow(parts: readonly string[]): void };
type Kept = { readonly name: StreamEventName; readonly data: string };

/** A part of the board: its tabs, and the newest event of each match and of the feeds. */
type Part = {
  readonly tabs: Set<Tab>;
  readonly kept: Map<string, Kept>;
  /** Whether `kept` is the state of the present connection. */
  isCurrent: boolean;
  /** The time since which it has no tab, by the steady clock; infinite while it has one. */
  unusedSince: number;
};

/** The shared streams of a browser. `connect` opens the connection with these callbacks; `now`: a steady clock, milliseconds. */
export class SharedStreams {
  readonly #connection: Connected;
  readonly #now: () => number;
  readonly #parts = new Map<string, Part>();
  /** The part of each tab, and the time of its last message. */
  readonly #tabs = new Map<Tab, { readonly part: string; readonly at: number }>();
  #isLost = false;
  /** The last heartbeat and the time of its arrival. */
  #beat: { readonly heartbeat: Heartbeat; readonly at: number } | undefined;

  constructor(connect: (events: ConnectionEvents) => Connected, now: () => number) {
    this.#now = now;
    this.#connection = connect({
      onOpen: () => {
        this.#isLost = false;
        this.#sendAll({ kind: 'open' });
      },
      onEvent: (part, name, data) => this.#receive(part, name, data),
      onLost: () => {
        this.#isLost = true;
        this.#beat = undefined;
        for (const part of this.#parts.values()) forget(part);
        this.#sendAll({ kind: 'lost' });
      },
    });
  }

  /** Handles a message of a tab. */
  take(tab: Tab, message: TabMessage): void {
    const known = this.#tabs.get(tab);
    if (message === 'leave') this.#drop(tab);
    else if (message !== 'alive') this.#join(tab, message.join);
    else if (known !== undefined) this.#tabs.set(tab, { ...known, at: this.#now() });
  }

  /** Drops tabs that fell silent, and after a while the parts that no tab follows. */
  tick(): void {
    const now = this.#now();
    for (const [tab, { at }] of this.#tabs) if (now - at > SILENT_TAB_MS) this.#drop(tab);
    const unused = [...this.#parts].filter(([, { unusedSince }]) => now - unusedSince > UNUSED_MS);
    if (unused.length === 0) return;
    for (const [name] of unused) this.#parts.delete(name);
    this.#connection.follow([...this.#parts.keys()]);
  }

  #join(tab: Tab, name: string): void {
    this.#drop(tab);
    const part = this.#parts.get(name) ?? newPart();
    this.#parts.set(name, part);
    part.tabs.add(tab);
    part.unusedSince = Number.POSITIVE_INFINITY;
    this.#tabs.set(tab, { part: name, at: this.#now() });
    if (part.isCurrent) this.#sendKept(tab, part);
    else if (this.#isLost) tab.postMessage({ kind: 'lost' });
    // While the connection is lost, a new tab asks for it at once: its reader may have loaded the page for that.
    if (this.#isLost || !this.#connection.parts.includes(name))
      this.#connection.follow([...this.#parts.keys()]);
  }

  #drop(tab: Tab): void {
    const known = this.#tabs.get(tab);
    const part = known && this.#parts.get(known.part);
    this.#tabs.delete(tab);
    if (part?.tabs.delete(tab) && part.tabs.size === 0) part.unusedSince = this.#now();
  }

  /** Sends a new tab the state that the other tabs of its part have. */
  #sendKept(tab: Tab, { kept }: Part): void {
    if (this.#beat === undefined) return;
    const { heartbeat, at } = this.#beat;
    const age = this.#now() - at;
    const event_ids = [...kept.values()].flatMap(({ name, data }) => (name === 'feeds' ? [] : [idOf(data)]));
    tab.postMessage({ kind: 'open' });
    const send = (name: StreamEventName, data: string): void =>
      tab.postMessage({ kind: 'event', name, data, age });
    send('snapshot', JSON.stringify({ ...heartbeat, event_ids }));
    for (const { name, data } of kept.values()) send(name, data);
  }

  #receive(name: string, event: StreamEventName, data: string): void {
    const part = this.#parts.get(name);
    if (part === undefined) return;
    if (event === 'snapshot' || event === 'beat')
      this.#beat = { heartbeat: JSON.parse(data), at: this.#now() };
    const send = (sent: StreamEventName, text: string): void => {
      for (const tab of part.tabs) tab.postMessage({ kind: 'event', name: sent, data: text, age: 0 });
    };
    switch (event) {
      case 'snapshot':
        if (!part.isCurrent) {
          part.isCurrent = true;
          send(event, data);
          return;
        }
        // Only the connection changed, for another tab: these tabs need the differences.
        for (const id of goneSince(part, data)) {
          part.kept.delete(String(id));
          send('gone', JSON.stringify({ event_id: id }));
        }
        send('beat', data);
        send('table', '{}');
        return;
      case 'match':
      case 'feeds': {
        const key = event === 'feeds' ? event : String(idOf(data));
        if (part.kept.get(key)?.data === data) return;
        part.kept.set(key, { name: event, data });
        break;
      }
      case 'gone':
        part.kept.delete(String(idOf(data)));
        break;
      case 'refused':
        forget(part);
        for (const tab of part.tabs) tab.postMessage({ kind: 'lost' });
        return;
    }
    send(event, data);
  }

  #sendAll(message: StreamMessage): void {
    for (const tab of this.#tabs.keys()) tab.postMessage(message);
  }
}

function newPart(): Part {
  return { tabs: new Set(), kept: new Map(), isCurrent: false, unusedSince: Number.POSITIVE_INFINITY };
}

/** Forgets the state of a part: the next snapshot is the whole state. */
function forget(part: Part): void {
  part.isCurrent = false;
  part.kept.clear();
}

/** Returns the event id in the data of a `match` or `gone` event. */
function idOf(data: string): number {
  return (JSON.parse(data) as { readonly event_id: number }).event_id;
}

/** Returns the kept matches that a snapshot no longer has. */
function goneSince({ kept }: Part, snapshot: string): number[] {
  const { event_ids } = JSON.parse(snapshot) as { readonly event_ids: readonly number[] };
  const present = new Set(event_ids);
  return [...kept.keys()]
    .filter((key) => key !== 'feeds')
    .map(Number)
    .filter((id) => !present.has(id));
}
