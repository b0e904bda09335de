/** Plays a feed to a health monitor, and computes what is true of it: for tests. */
import fc from 'fast-check';
import type { FeedHealth, IngressStatus, NormalizedMessage } from '#records/types.ts';
import { HealthTable } from '#trading/feed-status.ts';
import { HealthMonitor } from '../health/monitor.ts';
import type { HealthLimits } from '../health/verdict.ts';
import { absenceMessage, eventMessage, snapshotMessage } from './messages.ts';

export const LIMITS: HealthLimits = {
  delayedAfterMs: 20_000,
  staleAfterMs: 20_000,
  keepAliveAfterMs: 90_000,
  backlogAfterMs: 5_000,
};
/** The start of every test, Unix milliseconds. */
export const BEGIN = 1_790_000_000_000;

const STATES = {
  play: { status_id: 33, status_type: 'live', clock_status: 'running' },
  break: { status_id: 9, status_type: 'live', clock_status: 'stopped' },
  over: { status_id: 11, status_type: 'finished', clock_status: 'stopped' },
} as const;

/** What a message says of its match. */
export type HealthMessage = keyof typeof STATES | 'keep_alive' | 'snapshot' | 'mark' | 'absence';

/** A step of a history. */
export type Action =
  | { readonly kind: 'wait'; readonly ms: number }
  /** Nothing can be read for this time, as while the broker is down. */
  | { readonly kind: 'blind'; readonly ms: number }
  | {
      readonly kind: 'message';
      readonly event: number;
      readonly source: string;
      readonly says: HealthMessage;
      /** Age of its content, milliseconds; negative: content ahead of our clock. Default: 0. */
      readonly age?: number;
    }
  /** Match state applies everything that was published. */
  | { readonly kind: 'apply' }
  | { readonly kind: 'report'; readonly source: string; readonly state: IngressStatus['state'] }
  /** The monitor dies, and another one starts after this time. */
  | { readonly kind: 'restart'; readonly ms: number };

/** Returns a message of a source about a match. */
export function say(says: HealthMessage, event = 1, age = 0, source = 'webhook'): Action {
  return { kind: 'message', event, source, says, age };
}
export const wait = (ms: number): Action => ({ kind: 'wait', ms });
export const APPLY: Action = { kind: 'apply' };
export function report(state: IngressStatus['state'], source = 'webhook'): Action {
  return { kind: 'report', source, state };
}

/** Returns the report of an ingress service of the webhook that is up and has read nothing, with these changes. */
export const ingressStatus = (changes: Partial<IngressStatus>): IngressStatus => ({
  source: 'webhook',
  instance: 'one',
  state: 'up',
  reason: null,
  heard_at: null,
  clock: null,
  progress: null,
  gap: null,
  written_at: BEGIN,
  messages_read: 0,
  messages_unreadable: 0,
  unreadable_in_row: 0,
  refused_lists: [],
  ...changes,
});

const source = fc.constantFrom('webhook', 'feed');
const says = fc.constantFrom<HealthMessage[]>(
  ...(['play', 'play', 'play', 'break', 'over', 'keep_alive', 'snapshot', 'mark', 'absence'] as const),
);
const upTo = (ms: number) => fc.integer({ min: 1, max: ms });
const age = fc.oneof(
  { weight: 2, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 60_000 }) },
);
const state = fc.constantFrom('up' as const, 'down' as const, 'recovering' as const);

function action<K extends Action['kind'], T>(
  weight: number,
  kind: K,
  fields: { [N in keyof T]: fc.Arbitrary<T[N]> },
) {
  return {
    weight,
    arbitrary: fc.record({ kind: fc.constant(kind), ...fields }) as fc.Arbitrary<{ kind: K } & T>,
  };
}

/** Histories of two matches and two sources. */
export const histories: fc.Arbitrary<Action[]> = fc.array(
  fc.oneof(
    action(4, 'wait', { ms: upTo(30_000) }),
    action(6, 'message', { event: fc.constantFrom(1, 2), source, says, age }),
    action(4, 'apply', {}),
    action(2, 'report', { source, state }),
    action(1, 'blind', { ms: upTo(30_000) }),
    action(1, 'restart', { ms: fc.integer({ min: 0, max: 60_000 }) }),
  ),
  { maxLength: 60 },
);

type Sent = { readonly message: NormalizedMessage; readonly offset: number };

/** The truth about a match under a source. */
export type HealthTruth = {
  /** Time of the newest content. */ readonly heardAt: number;
  /** When that content was received, if it came too late; else null. */
  readonly lateAt: number | null;
  readonly runs: boolean;
  readonly over: boolean;
  readonly runsSince: number;
  readonly keepAlive: boolean;
  /** Time of receipt of the first message that is not applied; null if there is none. */
  readonly waitingSince: number | null;
};

/** A log, a monitor that reads it, and the topic that the monitor writes. Time passes in ticks of 100 ms. */
export class PlayedMonitor {
  now = BEGIN;
  monitor: HealthMonitor;
  /** The compacted topic: the last record of each key. */
  readonly topic = new Map<string, FeedHealth>();
  /** Every record, in the order of the log. */
  readonly log: FeedHealth[] = [];
  readonly #sent: Sent[] = [];
  readonly #reports: IngressStatus[] = [];
  /** Everything that was published before then is read. */
  readTo = BEGIN;
  #applied = 0;
  #term = 1;
  /** Offsets of messages that a new monitor read again of matches with a record: also those from before the match was live are heard then. */
  readonly #heardAgain = new Set<number>();
  readonly #onTick: (played: PlayedMonitor) => void;
  readonly #readsEveryMs: number;

  /** `readsEveryMs`: how rarely it is known that everything is read, while nothing is due. Default: known at each tick. */
  constructor(onTick: (played: PlayedMonitor) => void = () => {}, readsEveryMs = 0) {
    this.#onTick = onTick;
    this.#readsEveryMs = readsEveryMs;
    this.monitor = new HealthMonitor({ ...LIMITS, term: this.#term, partitionOf: () => 0 });
    this.#read();
  }

  /** Does these actions one after the other. */
  play(...actions: readonly Action[]): this {
    for (const action of actions) this.do(action);
    return this;
  }

  do(action: Action): void {
    switch (action.kind) {
      case 'wait':
      case 'blind':
        for (const end = this.now + action.ms; this.now < end; ) {
          this.now = Math.min(end, this.now + 100);
          const isDue = this.now >= Math.min(this.monitor.due, this.readTo + this.#readsEveryMs);
          if (action.kind === 'wait' && isDue) this.#read();
          this.tick();
        }
        return;
      case 'message':
        this.#send(action);
        return;
      case 'apply':
        this.#applied = this.#sent.length;
        this.monitor.applied(0, this.#applied);
        return;
      case 'report':
        this.#report(action.source, action.state);
        return;
      case 'restart':
        this.now += action.ms;
        this.#restart();
    }
  }

  tick(): void {
    for (const { key, value } of this.monitor.tick(this.now)) {
      if (value === null) this.topic.delete(key);
      else {
        this.topic.set(key, value);
        this.log.push(value);
      }
    }
    this.#onTick(this);
  }

  /** Returns the current truth about each match under each source that sent a message of it while it was live, by key. */
  truths(): Map<string, HealthTruth> {
    const truths = new Map<string, HealthTruth>();
    for (const event of [1, 2]) {
      let runs = false;
      let live = false;
      let over = false;
      let runsSince = 0;
      const heard = new Map<string, { heardAt: number; lateAt: number | null; keepAlive: boolean }>();
      let waitingSince: number | null = null;
      for (const { message: sent, offset } of this.#sent.filter((one) => one.message.event_id === event)) {
        if (sent.event !== null) {
          over = sent.event.status_type === 'finished';
          live = !over;
          const ran: boolean = runs;
          runs = sent.event.clock_status === 'running';
          if (runs !== ran) runsSince = sent.content_at;
        }
        const known = heard.get(sent.origin);
        const isHeard = known !== undefined || live || this.#heardAgain.has(offset);
        if (sent.unreadable === null && sent.absence === null && isHeard) {
          const keepAlive = known?.keepAlive === true || sent.type === 'event_keep_alive';
          const { content_at: heardAt, received_at } = sent;
          const lateAt = received_at - heardAt > LIMITS.delayedAfterMs ? received_at : null;
          const isNewer = known === undefined || heardAt > known.heardAt;
          const isLater =
            known !== undefined &&
            lateAt !== null &&
            heardAt < known.heardAt &&
            received_at - known.heardAt > LIMITS.delayedAfterMs;
          if (isNewer) heard.set(sent.origin, { heardAt, lateAt, keepAlive });
          else heard.set(sent.origin, { ...known, ...(isLater && { lateAt }), keepAlive });
        }
        // No message waits of a match that the monitor does not watch yet.
        if (heard.size > 0 && offset >= this.#applied) waitingSince ??= sent.received_at;
      }
      for (const [origin, of] of heard)
        truths.set(`${origin}/${event}`, { ...of, runs, over, runsSince, waitingSince });
    }
    return truths;
  }

  #send({ event, source: origin, says: what, age = 0 }: Extract<Action, { kind: 'message' }>): void {
    const ut = BEGIN / 1000 + this.#sent.length;
    this.send({ ...messageOf(what, ut), origin, event_id: event }, age);
  }

  /** Writes a message to the log, received now, whose content is so many milliseconds old. */
  send(message: NormalizedMessage, age = 0): void {
    const sent: NormalizedMessage = { ...message, received_at: this.now, content_at: this.now - age };
    const offset = this.#sent.push({ message: sent, offset: this.#sent.length }) - 1;
    this.monitor.receive(sent, { partition: 0, offset }, this.now);
  }

  #report(of: string, state: IngressStatus['state']): void {
    const reason = state === 'down' ? 'network' : null;
    const status = ingressStatus({ source: of, state, reason, written_at: this.now });
    this.#reports.push(status);
    this.monitor.report(status, this.now);
  }

  #read(): void {
    this.readTo = this.now;
    this.monitor.messagesRead(0, this.now);
    this.monitor.reportsRead(this.now);
  }

  #restart(): void {
    this.#term += 1;
    this.monitor = new HealthMonitor({ ...LIMITS, term: this.#term, partitionOf: () => 0 });
    const written = Math.max(0, ...this.topic.values().map(({ written_at }) => written_at));
    const since = written - LIMITS.keepAliveAfterMs - LIMITS.staleAfterMs;
    const again = this.#sent.filter(({ message: { received_at } }) => received_at >= since);
    const readFrom = again[0]?.offset ?? this.#sent.length;
    this.monitor.begin(0, { applied: this.#applied, readFrom, at: since });
    for (const record of this.topic.values()) this.monitor.restore(record, this.now);
    for (const { message: one, offset } of again) {
      if (this.topic.has(`${one.origin}/${one.event_id}`)) this.#heardAgain.add(offset);
      this.monitor.receive(one, { partition: 0, offset }, this.now);
    }
    for (const report of this.#reports) if (report.written_at >= since) this.monitor.report(report, this.now);
    this.#read();
  }
}

function messageOf(says: HealthMessage, ut: number): NormalizedMessage {
  if (says === 'snapshot') return snapshotMessage(ut, []);
  if (says === 'keep_alive') return { ...eventMessage(ut, {}), type: 'event_keep_alive', event: null };
  if (says === 'absence') return absenceMessage(ut);
  if (says === 'mark') return { ...messageOf('keep_alive', ut), unreadable: 'ut: expected a number' };
  return eventMessage(ut, STATES[says]);
}

/** How often a reader of the topic looks, milliseconds. */
export const LOOK_MS = 1_000;

/** Yields what a reader of the topic knows each time it looks, until `until`. */
export function* readerLooks(
  log: readonly FeedHealth[],
  until: number,
): Generator<[at: number, health: HealthTable]> {
  const table = new HealthTable();
  let next = 0;
  for (let at = BEGIN; at <= until; at += LOOK_MS) {
    for (let one = log[next]; one !== undefined && one.written_at <= at; one = log[++next])
      table.apply(one.event_id === null ? one.source : `${one.source}/${one.event_id}`, one, one.written_at);
    yield [at, table];
  }
}
