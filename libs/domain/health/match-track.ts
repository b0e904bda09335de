import type { FeedHealth, NormalizedMessage } from '#topics/generated/types.ts';
import { isGoodState } from '#tradability/feed-status.ts';
import { EventRegister } from '../event-register.ts';
import type { AppliedPosition, ReadProgress } from './applied.ts';
import { ABANDONED_MS } from './limits.ts';
import { type LivenessFacts, matchFacts, NO_FACTS, tellsHealth } from './match-facts.ts';
import { aliveSince, applyVerdict, fillGaps, type Standing } from './standing.ts';
import { type HealthLimits, type HealthVerdict, judgeMatch, type MatchInputs } from './verdict.ts';

/** What one source says of a match. */
export type PairTrack = {
  readonly source: string;
  /** Of its record. */
  readonly key: string;
  /** Its record as it was last written in this term; null where it has to be written. */
  written: WrittenHealth | null;
  heardAt: number;
  keepAliveAt: number | null;
  /** First sign of life since it was last good. */
  backAt: number | null;
  standing: Standing;
};

/** What a record said of a match, and when it was written. */
type WrittenHealth = {
  readonly standing: Standing;
  readonly facts: LivenessFacts;
  readonly at: number;
};

/** How far match state is in a partition of its input, and how far the monitor has read it. */
export type StateProgress = { readonly applied: AppliedPosition; readonly read: ReadProgress };

/** A match that is or was live, with every source that spoke of it while it was. All times are Unix milliseconds. */
export class MatchTrack {
  readonly eventId: number;
  readonly pairs = new Map<string, PairTrack>();
  #register = new EventRegister();
  #facts: LivenessFacts = NO_FACTS;
  #runsSince = 0;
  /** Of its latest message in the input of match state. */
  #offset: number;
  #waitingSince: number | null;
  readonly #applied: AppliedPosition;
  readonly #read: ReadProgress;

  /** How far match state is in its partition, and how far the monitor has read it. */
  constructor(eventId: number, { applied, read }: StateProgress) {
    this.eventId = eventId;
    this.#applied = applied;
    this.#read = read;
    this.#offset = applied.neverRead?.offset ?? -1;
    this.#waitingSince = applied.neverRead?.at ?? null;
  }

  get facts(): LivenessFacts {
    return this.#facts;
  }

  /** The register of its status and clock, for records. */
  get fields(): FeedHealth['fields'] {
    return this.#register.grouped();
  }

  /** What a record of it says; the register of each source's record is that of the match. */
  restore(record: FeedHealth, standing: Standing, heardAt: number): void {
    const { source, keep_alive_at, fields } = record;
    this.#add(source, heardAt, keep_alive_at, standing);
    for (const { ut, json } of fields) this.#apply([json], ut, heardAt);
  }

  /** A message of it, received at `at`, by its offset in the input of match state. */
  hear(message: NormalizedMessage, at: number, offset: number): void {
    const { over } = this.#facts;
    const parts = message.event_fields.filter((part) => tellsHealth(part, over));
    this.#apply(parts, message.ut, at);
    if (offset <= this.#offset) return;
    if (this.#waitingSince === null || this.#offset < this.#applied.next) this.#waitingSince = at;
    this.#offset = offset;
  }

  /** A source spoke of it at `at`: from then on its silence counts, while the match is live. */
  heardOf(source: string, at: number, isKeepAlive: boolean): void {
    const known = this.pairs.get(source);
    if (known === undefined && !this.#facts.live) return;
    const pair = known ?? this.#add(source, at, null, aliveSince(at));
    // A monitor that begins reads again what was heard before the silence.
    if (!isGoodState(pair.standing.state) && at > pair.heardAt) pair.backAt ??= at;
    pair.heardAt = Math.max(pair.heardAt, at);
    if (isKeepAlive) pair.keepAliveAt = pair.heardAt;
  }

  /** Since when its clock runs or stands. */
  get runsSince(): number {
    return this.#runsSince;
  }

  /** Since when a message of it waits for match state; null where none does. */
  get waitingSince(): number | null {
    if (this.#waitingSince === null || this.#offset < this.#applied.next) return null;
    return Math.max(this.#waitingSince, this.#applied.waitingSince ?? 0);
  }

  /** Over, or without a message from any source for `ABANDONED_MS`. */
  isOver(now: number): boolean {
    if (this.#facts.over) return true;
    for (const { heardAt } of this.pairs.values()) if (now - heardAt < ABANDONED_MS) return false;
    return true;
  }

  /** What `pair` is judged by. */
  inputs(pair: PairTrack, source: HealthVerdict, now: number): MatchInputs {
    const { heardAt, keepAliveAt } = pair;
    const { waitingSince } = this;
    const over = this.isOver(now);
    return {
      ...this.#facts,
      over,
      runsSince: this.#runsSince,
      heardAt,
      keepAliveAt,
      waitingSince,
      readTo: this.#read.to,
      source,
    };
  }

  /** Judges what a source says of it, given what its ingress service reports. Gives the verdict. */
  judge(pair: PairTrack, source: HealthVerdict, limits: HealthLimits, now: number): HealthVerdict {
    const inputs = this.inputs(pair, source, now);
    const verdict = judgeMatch(inputs, limits, now);
    const isBacklog = verdict.kind === 'down' && verdict.reason === 'backlog';
    const lastAt = isBacklog ? (inputs.waitingSince ?? pair.heardAt) : pair.heardAt;
    pair.standing = applyVerdict(pair.standing, verdict, { lastAt, backAt: pair.backAt }, now);
    if (verdict.kind === 'good' || verdict.kind === 'ended') pair.backAt = null;
    return verdict;
  }

  /** The whole incident list was read at `at`: it fills the gaps before. */
  fill(at: number): void {
    for (const pair of this.pairs.values()) pair.standing = fillGaps(pair.standing, at);
  }

  #add(source: string, heardAt: number, keepAliveAt: number | null, standing: Standing): PairTrack {
    const key = `${source}/${this.eventId}`;
    const pair = { source, key, written: null, heardAt, keepAliveAt, backAt: null, standing };
    this.pairs.set(source, pair);
    return pair;
  }

  #apply(parts: readonly string[], ut: number, at: number): void {
    if (parts.length === 0) return;
    this.#register.apply(this.#register.read(parts), ut);
    const facts = matchFacts(this.#register);
    if (facts.runs !== this.#facts.runs) this.#runsSince = at;
    // The same object while they are the same: it is compared at each look.
    if (JSON.stringify(facts) !== JSON.stringify(this.#facts)) this.#facts = facts;
  }
}
