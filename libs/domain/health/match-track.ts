import type { FeedHealth, NormalizedMessage } from '#records/types.ts';
import { isBelieved } from '#trading/feed-status.ts';
import { ABANDONED_MS } from '#trading/trading.ts';
import { sameValue } from '../event.ts';
import { EventRegister } from '../event-register.ts';
import { positionOf } from '../message-key.ts';
import type { AppliedPosition, ReadProgress } from './applied.ts';
import { aliveSince, applyVerdict, fillGaps, type HealthStatus } from './health-status.ts';
import type { ContentReceipt, SignsOfLife } from './signs-of-life.ts';
import {
  type HealthLimits,
  type HealthVerdict,
  healthOf,
  isBacklog,
  judgeMatch,
  type LivenessFacts,
  matchFacts,
  NO_FACTS,
  silentSince,
} from './verdict.ts';

/** The health of a match under one source. */
export type PairTrack = {
  readonly source: string;
  readonly key: string;
  /** When its first record was written; null before. */
  judgedFrom: number | null;
  /** The content of its record when it was last written in this term; null when it must be written. */
  written: WrittenHealth | null;
  readonly signs: SignsOfLife;
  /** Content of the last keep-alive; null without any. */
  keepAliveAt: number | null;
  health: HealthStatus;
};

/** The content of the record of a match, and when it was written. */
type WrittenHealth = Pick<SignsOfLife, 'heardAt' | 'delay'> & {
  readonly health: HealthStatus;
  readonly facts: LivenessFacts;
  readonly at: number;
};

/** How far match state is in a partition of its input, and how far the monitor has read it. */
export type MonitorProgress = { readonly applied: AppliedPosition; readonly read: ReadProgress };

/** A match that is or was live, with every source that sent messages of it meanwhile. All times are Unix milliseconds. */
export class MatchTrack {
  readonly eventId: number;
  readonly pairs = new Map<string, PairTrack>();
  #register = new EventRegister();
  facts: LivenessFacts = NO_FACTS;
  /** Since when its clock has been running or stopped; 0 while no message said that it runs. */
  runsSince = 0;
  /** Offset of its latest message in the input of match state. */
  #offset: number;
  /** Since when messages up to that one have been waiting. */
  #waitingSince = 0;
  readonly #progress: MonitorProgress;

  constructor(eventId: number, progress: MonitorProgress) {
    this.eventId = eventId;
    this.#progress = progress;
    this.#offset = progress.applied.neverRead?.offset ?? -1;
  }

  /** The reports of its status and clock, for records. */
  get reports(): FeedHealth['reports'] {
    return this.#register.reports();
  }

  /** Restores the health under one source from its record. The `reports` of the record are those of the match. */
  restore(record: FeedHealth, health: HealthStatus, signs: SignsOfLife): void {
    const { source, keep_alive_at, reports, judged_from, clock_since } = record;
    this.#add(source, { signs, keepAliveAt: keep_alive_at, judgedFrom: judged_from, health });
    this.#register.merge(reports);
    this.#noteFacts(signs.heardAt);
    // Another source may have been heard long after the clock began.
    if (clock_since !== null) this.runsSince = clock_since;
  }

  /** Applies a message of it. `offset`: that of the message in the input of match state. */
  apply(message: NormalizedMessage, { contentAt, receivedAt: at }: ContentReceipt, offset: number): void {
    const { over } = this.facts;
    this.#register.apply(healthOf(message.event, over), positionOf(message));
    this.#noteFacts(Math.min(contentAt, at));
    if (this.#offset < this.#progress.applied.next) this.#waitingSince = at;
    this.#offset = offset;
  }

  /** Notes a message of a source, whose silence counts from then on. `newSigns`: returns signs of life without any. */
  noteMessage(
    source: string,
    receipt: ContentReceipt,
    { isKeepAlive, ahead, newSigns }: { isKeepAlive: boolean; ahead: number; newSigns: () => SignsOfLife },
  ): void {
    const known = this.pairs.get(source);
    if (known === undefined && !this.facts.live) return;
    const health = aliveSince(receipt.receivedAt);
    const pair =
      known ?? this.#add(source, { signs: newSigns(), keepAliveAt: null, judgedFrom: null, health });
    pair.signs.note(receipt, ahead, isBelieved(pair.health.state));
    if (isKeepAlive) pair.keepAliveAt = pair.signs.heardAt;
  }

  /** Since when a message of it has been waiting for match state; null if none waits. */
  get waitingSince(): number | null {
    if (this.#offset < this.#progress.applied.next) return null;
    return Math.max(this.#waitingSince, this.#progress.applied.waitingSince ?? 0);
  }

  /** Whether it is over, or no source sent a message of it for `ABANDONED_MS` (docs/decisions/0080). */
  isOver(now: number): boolean {
    if (this.facts.over) return true;
    for (const { signs } of this.pairs.values()) if (now - silentSince(signs) < ABANDONED_MS) return false;
    return true;
  }

  /** Returns the inputs of the verdict on `pair`. `source`: the verdict on the reports of its source. */
  inputs(pair: PairTrack, source: HealthVerdict, now: number) {
    return {
      ...this.facts,
      over: this.isOver(now),
      runsSince: this.runsSince,
      signs: pair.signs,
      keepAliveAt: pair.keepAliveAt,
      waitingSince: this.waitingSince,
      readTo: this.#progress.read.to,
      source,
    };
  }

  /** Judges the match under a source, and updates its health. `source`: the verdict on the reports of the source. */
  judge(pair: PairTrack, source: HealthVerdict, limits: HealthLimits, now: number): HealthVerdict {
    const inputs = this.inputs(pair, source, now);
    const verdict = judgeMatch(inputs, limits, now);
    const { lastAt: heardAt, backAt } = pair.signs;
    const lastAt = isBacklog(verdict) ? (inputs.waitingSince ?? heardAt) : heardAt;
    pair.health = applyVerdict(pair.health, verdict, { lastAt, backAt }, now);
    if (verdict.kind === 'good' || verdict.kind === 'ended') pair.signs.backAt = null;
    return verdict;
  }

  /** Notes that the complete incident list was read at `at`: it fills the gaps before. */
  fill(at: number): void {
    for (const pair of this.pairs.values()) pair.health = fillGaps(pair.health, at);
  }

  #add(source: string, known: Pick<PairTrack, 'signs' | 'keepAliveAt' | 'judgedFrom' | 'health'>): PairTrack {
    const pair = { source, key: `${source}/${this.eventId}`, written: null, ...known };
    this.pairs.set(source, pair);
    return pair;
  }

  #noteFacts(at: number): void {
    const facts = matchFacts(this.#register);
    if (facts.runs !== this.facts.runs) this.runsSince = at;
    // Equal facts stay the same object: each tick compares them by identity.
    if (!sameValue(facts, this.facts)) this.facts = facts;
  }
}
