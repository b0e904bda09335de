import type { FeedHealth, IngressStatus, NormalizedMessage } from '#records/types.ts';
import { isBelieved } from '#trading/feed-status.ts';
import { AppliedPosition, ReadProgress } from './applied.ts';
import { addUnpublished, aliveSince } from './health-status.ts';
import { MatchTrack, type MonitorProgress } from './match-track.ts';
import { matchRecord, type PublishedHealth, sourceRecord } from './records.ts';
import { SignsOfLife } from './signs-of-life.ts';
import { SourceTrack } from './source-track.ts';
import { backlogDue, type HealthLimits, isBacklog, silenceDue } from './verdict.ts';

/** Maximum validity of a source's record: a reader withdraws it within two seconds after its writing, drawing included. */
export const VALID_MS = 1_750;
/** Validity after the next match becomes stale: readers have the rest of a second to read their clock. */
export const DUE_WITHIN_MS = 800;
const NEVER = Number.POSITIVE_INFINITY;
/** Time for which the record of a match that is over is kept. */
export const KEEP_ENDED_MS = 86_400_000;

type MonitorOptions = HealthLimits & {
  /** Greater than the term of every existing record. */
  readonly term: number;
  /** Returns the partition of an event in the input of match state. */
  readonly partitionOf: (eventId: number) => number;
};

/** The position of a message in the input of match state. */
type MessagePosition = { readonly partition: number; readonly offset: number };

/** The rules of feed health (docs/decisions/0080). Callers pass `now` (Unix milliseconds), which never decreases. */
export class HealthMonitor {
  readonly #options: MonitorOptions;
  readonly #sources = new Map<string, SourceTrack>();
  readonly #matches = new Map<number, MatchTrack>();
  readonly #partitions = new Map<number, MonitorProgress>();
  readonly #reportsRead = new ReadProgress();
  /** When a match or source is silent next, or the report of one missed, if nothing more comes: Unix milliseconds. */
  due = NEVER;

  constructor(options: MonitorOptions) {
    this.#options = options;
  }

  get liveMatches(): number {
    return [...this.#matches.values()].filter(({ facts }) => facts.live).length;
  }

  /** Begins a partition: the position of match state, the offset to read from, and a time before that record's receipt. */
  begin(partition: number, position: { applied: number; readFrom: number; at: number }): MonitorProgress {
    const { applied, readFrom: offset, at } = position;
    const progress = { applied: new AppliedPosition(applied, { offset, at }), read: new ReadProgress() };
    this.#partitions.set(partition, progress);
    return progress;
  }

  restore(record: FeedHealth, now: number): void {
    const { source, event_id, state, progress, gaps, gap_count } = record;
    const reason = isBelieved(state) ? null : record.reason;
    const since = Math.min(record.since, now);
    const health = { state, reason, since, progress, gaps, gap_count };
    const { delayedAfterMs, staleAfterMs } = this.#options;
    const heardAt = Math.min(record.heard_at ?? 0, now);
    const { delay, written_at } = record;
    const age = delay ?? 0;
    const latest = Math.min(age < 0 ? written_at : heardAt + age, written_at, now);
    const receivedAt = state === 'stale' ? since - staleAfterMs : latest;
    const signs = new SignsOfLife(delayedAfterMs, { heardAt, delay, receivedAt });
    if (event_id === null) {
      const track = new SourceTrack(source, health, signs, this.#reportsRead);
      track.promised = record.valid_until;
      this.#sources.set(source, track);
    } else this.#track(event_id).restore(record, health, signs);
  }

  receive(message: NormalizedMessage, { partition, offset }: MessagePosition, now: number): void {
    const { origin, event_id: eventId, type, unreadable, absence } = message;
    const receivedAt = Math.min(message.received_at, now);
    const isAgeJudged = this.#options.delayedAfterMs < NEVER;
    const receipt = { contentAt: isAgeJudged ? message.content_at : receivedAt, receivedAt };
    const progress = this.#progressOf(partition);
    progress.applied.read(offset, receivedAt);
    // A mark or an absence is no word of the provider about its match: it is only input that match state must apply.
    const isWord = unreadable === null && absence === null;
    const source = isWord ? this.#source(origin, receivedAt) : null;
    const isKeepAlive = type === 'event_keep_alive';
    if (isKeepAlive) source?.clock.measure(receipt, this.#options.delayedAfterMs);
    source?.noteContent(receipt);
    const known = this.#matches.get(eventId);
    const track = known ?? new MatchTrack(eventId, progress);
    track.apply(message, receipt, offset);
    if (known === undefined) {
      if (!track.facts.live) return;
      this.#matches.set(eventId, track);
    }
    if (source === null) return;
    const { ahead } = source.clock;
    // Content may come shortly before it is too old.
    this.due = Math.min(this.due, receipt.contentAt + this.#options.staleAfterMs);
    track.noteMessage(origin, receipt, { isKeepAlive, ahead, newSigns: () => this.#newSigns() });
    if (type === 'incident_snapshot') track.fill(Math.min(receipt.contentAt, receivedAt));
  }

  /** Notes that match state has applied everything of a partition before `next`. */
  applied(partition: number, next: number): void {
    this.#progressOf(partition).applied.applied(next);
  }

  messagesRead(partition: number, at: number): void {
    this.#progressOf(partition).read.advance(at);
  }

  /** Notes that all reports written until `at` are read. */
  reportsRead(at: number): void {
    this.#reportsRead.advance(at);
  }

  report(status: IngressStatus, now: number): void {
    this.#source(status.source, Math.min(status.written_at, now)).report(status, now);
  }

  /** Writes the record of a key again: it was not written, or a monitor of an earlier term overwrote it. */
  rewrite(key: string): void {
    const slash = key.lastIndexOf('/');
    const pair = this.#matches.get(Number(key.slice(slash + 1)))?.pairs.get(key.slice(0, slash));
    if (slash === -1) this.#sources.get(key)?.rewrite();
    else if (pair !== undefined) pair.written = null;
  }

  /** Returns the records to publish at `now`, in this order; an empty list if there are none. */
  tick(now: number): PublishedHealth[] {
    const published: PublishedHealth[] = [];
    this.due = NEVER;
    for (const source of this.#sources.values())
      for (const record of this.#tickSource(source, now)) published.push(record);
    for (const [eventId, track] of this.#matches) {
      for (const [source, { key, health }] of track.pairs) {
        if (health.state !== 'ended' || now - health.since < KEEP_ENDED_MS) continue;
        track.pairs.delete(source);
        published.push({ key, value: null });
      }
      if (track.pairs.size === 0) this.#matches.delete(eventId);
    }
    return published;
  }

  /** Judges a source and its matches. Their records come before the source's, whose validity rests on them. */
  #tickSource(source: SourceTrack, now: number): PublishedHealth[] {
    const { staleAfterMs, term } = this.#options;
    const reported = source.reported(now);
    const { unpublished } = source;
    source.unpublished = null;
    if (unpublished !== null) source.health = addUnpublished(source.health, unpublished);
    const published: PublishedHealth[] = [];
    let [judged, behind, behindSince] = [0, 0, now];
    let runsSince: number | null = null;
    // Nothing becomes due under a source that is down: its record stays valid, so that readers see why it is down.
    let due = (reported.kind === 'good' ? source.reportDue : null) ?? NEVER;
    this.due = Math.min(this.due, due);
    for (const track of this.#matches.values()) {
      const pair = track.pairs.get(source.source);
      if (pair === undefined) continue;
      if (unpublished !== null) pair.health = addUnpublished(pair.health, unpublished);
      const verdict = track.judge(pair, reported, this.#options, now);
      published.push(...matchRecord(term, track, pair, now));
      if (verdict.kind === 'ended') continue;
      judged += 1;
      if (isBacklog(verdict)) {
        behind += 1;
        behindSince = Math.min(behindSince, verdict.since);
      }
      if (track.facts.runs) runsSince = Math.max(runsSince ?? 0, track.runsSince);
      if (pair.health.state === 'stale') continue;
      const inputs = track.inputs(pair, reported, now);
      const silent = silenceDue(inputs, this.#options) ?? NEVER;
      this.due = Math.min(this.due, silent);
      if (isBelieved(pair.health.state))
        due = Math.min(due, silent, backlogDue(inputs, this.#options) ?? NEVER);
    }
    if (source.health.state !== 'stale')
      this.due = Math.min(this.due, source.silenceDue(runsSince, staleAfterMs) ?? NEVER);
    const allBehind = judged > 0 && behind === judged;
    const readTo = Math.min(...this.#partitions.values().map(({ read }) => read.to));
    const matches = { runsSince, behindSince: allBehind ? behindSince : null, readTo };
    source.judge(reported, matches, staleAfterMs, now);
    const validUntil = Math.min(now + VALID_MS, due + DUE_WITHIN_MS);
    const promise = { clockRuns: runsSince !== null, validUntil };
    return [...published, ...sourceRecord(term, source, promise, published.length > 0, now)];
  }

  #source(name: string, at: number): SourceTrack {
    const known =
      this.#sources.get(name) ?? new SourceTrack(name, aliveSince(at), this.#newSigns(), this.#reportsRead);
    this.#sources.set(name, known);
    return known;
  }

  #newSigns(): SignsOfLife {
    return new SignsOfLife(this.#options.delayedAfterMs);
  }

  #track(eventId: number): MatchTrack {
    const known =
      this.#matches.get(eventId) ??
      new MatchTrack(eventId, this.#progressOf(this.#options.partitionOf(eventId)));
    this.#matches.set(eventId, known);
    return known;
  }

  #progressOf(partition: number): MonitorProgress {
    return this.#partitions.get(partition) ?? this.begin(partition, { applied: 0, readFrom: 0, at: 0 });
  }
}
