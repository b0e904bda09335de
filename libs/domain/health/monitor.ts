import type { FeedHealth, IngressStatus, NormalizedMessage } from '#topics/generated/types.ts';
import { isGoodState } from '#tradability/feed-status.ts';
import { AppliedPosition, ReadProgress } from './applied.ts';
import { DUE_WITHIN_MS, KEEP_ENDED_MS, VALID_MS } from './limits.ts';
import { MatchTrack, type PairTrack, type StateProgress } from './match-track.ts';
import { HealthRecords, type PublishedHealth } from './records.ts';
import { SourceTrack } from './source-track.ts';
import { aliveSince } from './standing.ts';
import { backlogDue, type HealthLimits, type HealthVerdict, silenceDue } from './verdict.ts';

/** What a monitor is made with. */
export type MonitorOptions = HealthLimits & {
  /** Above that of every record there is. */
  readonly term: number;
  /** The partition of an event in the input of match state. */
  readonly partitionOf: (eventId: number) => number;
};

/** Where a message is in the input of match state. */
export type MessagePosition = { readonly partition: number; readonly offset: number };

/**
 * The rules of feed health (docs/decisions/0080) for all sources and matches: messages, reports and times in, records out. Knows no
 * clock: `now` is passed in, Unix milliseconds, and does not go back.
 */
export class HealthMonitor {
  readonly #options: MonitorOptions;
  readonly #sources = new Map<string, SourceTrack>();
  readonly #matches = new Map<number, MatchTrack>();
  /** By partition of the input of match state. */
  readonly #partitions = new Map<number, StateProgress>();
  readonly #reportsRead = new ReadProgress();
  readonly #records: HealthRecords;

  constructor(options: MonitorOptions) {
    this.#options = options;
    this.#records = new HealthRecords(options.term);
  }

  /** Matches that are not over. */
  get liveMatches(): number {
    return [...this.#matches.values()].filter(({ facts }) => facts.live).length;
  }

  /** How far match state is in a partition when the monitor begins, where it reads from, and a time before that. */
  begin(partition: number, position: { applied: number; readFrom: number; at: number }): void {
    const { applied, readFrom: offset, at } = position;
    const progress = { applied: new AppliedPosition(applied, { offset, at }), read: new ReadProgress() };
    this.#partitions.set(partition, progress);
  }

  /** Takes over a record of the monitor before, after `begin`. Times ahead of `now` count as now. */
  restore(record: FeedHealth, now: number): void {
    const { source, event_id, state, reason, progress, gaps, gap_count } = record;
    const since = Math.min(record.since, now);
    const standing = { state, reason, since, progress, gaps, gap_count };
    const heardAt = Math.min(record.heard_at ?? since, now);
    if (event_id === null)
      this.#sources.set(source, new SourceTrack(source, standing, heardAt, this.#reportsRead));
    else this.#track(event_id).restore(record, standing, heardAt);
  }

  /** A message was read. Throws `DomainError` UNREADABLE_EVENT. */
  hear(message: NormalizedMessage, { partition, offset }: MessagePosition, now: number): void {
    const { origin, event_id: eventId, type } = message;
    const at = Math.min(message.received_at, now);
    const progress = this.#progressOf(partition);
    progress.applied.read(offset, at);
    this.#source(origin, at).heardOf(at);
    const known = this.#matches.get(eventId);
    const track = known ?? new MatchTrack(eventId, progress);
    track.hear(message, at, offset);
    if (known === undefined) {
      if (!track.facts.live) return;
      this.#matches.set(eventId, track);
    }
    track.heardOf(origin, at, type === 'event_keep_alive');
    if (type === 'incident_snapshot') track.fill(at);
  }

  /** Match state has everything of a partition before `next`. */
  applied(partition: number, next: number): void {
    this.#progressOf(partition).applied.applied(next);
  }

  /** All messages that were in a partition at `at` are read. */
  messagesRead(partition: number, at: number): void {
    this.#progressOf(partition).read.advance(at);
  }

  /** All reports that were there at `at` are read. */
  reportsRead(at: number): void {
    this.#reportsRead.advance(at);
  }

  /** An ingress service reported. */
  report(status: IngressStatus, now: number): void {
    this.#source(status.source, Math.min(status.written_at, now)).report(status, now);
  }

  /** The record of a key was not written, or was overwritten by a monitor of an earlier term. */
  rewrite(key: string): void {
    const slash = key.lastIndexOf('/');
    const pair = this.#matches.get(Number(key.slice(slash + 1)))?.pairs.get(key.slice(0, slash));
    if (slash === -1) this.#records.rewrite(key);
    else if (pair !== undefined) pair.written = null;
  }

  /** What is to be published at `now`, in this order; nothing where nothing is. */
  tick(now: number): PublishedHealth[] {
    const published: PublishedHealth[] = [];
    for (const source of this.#sources.values())
      for (const record of this.#tickSource(source, now)) published.push(record);
    for (const [eventId, track] of this.#matches) {
      for (const [source, { key, standing }] of track.pairs) {
        if (standing.state !== 'ended' || now - standing.since < KEEP_ENDED_MS) continue;
        track.pairs.delete(source);
        published.push({ key, value: null });
      }
      if (track.pairs.size === 0) this.#matches.delete(eventId);
    }
    return published;
  }

  /** A source and its matches: these first, so that no reader sees the source's promise before what it rests on. */
  #tickSource(source: SourceTrack, now: number): PublishedHealth[] {
    const { staleAfterMs } = this.#options;
    const reported = source.reported(now);
    const published: PublishedHealth[] = [];
    const ofMatches = { judged: 0, behind: 0, behindSince: now, runsSince: null as number | null };
    // Of a source that is down nothing becomes due: its record is valid as ever, so that readers are told why.
    let due = (reported.kind === 'good' ? source.reportDue : null) ?? Number.POSITIVE_INFINITY;
    for (const track of this.#matches.values()) {
      const pair = track.pairs.get(source.source);
      if (pair === undefined) continue;
      const verdict = track.judge(pair, reported, this.#options, now);
      published.push(...this.#records.ofMatch(track, pair, now));
      if (verdict.kind === 'ended') continue;
      ofMatches.judged += 1;
      if (isBacklog(verdict)) {
        ofMatches.behind += 1;
        ofMatches.behindSince = Math.min(ofMatches.behindSince, verdict.since);
      }
      if (track.facts.runs) ofMatches.runsSince = Math.max(ofMatches.runsSince ?? 0, track.runsSince);
      due = Math.min(due, this.#due(track, pair, reported, now));
    }
    const { judged, behind, behindSince, runsSince } = ofMatches;
    const allBehind = judged > 0 && behind === judged;
    const readTo = Math.min(...this.#partitions.values().map(({ read }) => read.to));
    const matches = { runsSince, behindSince: allBehind ? behindSince : null, readTo };
    source.judge(reported, matches, staleAfterMs, now);
    const validUntil = Math.min(now + VALID_MS, due + DUE_WITHIN_MS);
    published.push(
      ...this.#records.ofSource(
        source,
        { clockRuns: runsSince !== null, validUntil },
        published.length > 0,
        now,
      ),
    );
    return published;
  }

  /** When a match that is good stops being so if nothing more comes. */
  #due(track: MatchTrack, pair: PairTrack, reported: HealthVerdict, now: number): number {
    if (!isGoodState(pair.standing.state)) return Number.POSITIVE_INFINITY;
    const inputs = track.inputs(pair, reported, now);
    const never = Number.POSITIVE_INFINITY;
    return Math.min(silenceDue(inputs, this.#options) ?? never, backlogDue(inputs, this.#options) ?? never);
  }

  #source(name: string, at: number): SourceTrack {
    const known = this.#sources.get(name) ?? new SourceTrack(name, aliveSince(at), at, this.#reportsRead);
    this.#sources.set(name, known);
    return known;
  }

  #track(eventId: number): MatchTrack {
    const known =
      this.#matches.get(eventId) ??
      new MatchTrack(eventId, this.#progressOf(this.#options.partitionOf(eventId)));
    this.#matches.set(eventId, known);
    return known;
  }

  #progressOf(partition: number): StateProgress {
    const known = this.#partitions.get(partition);
    if (known !== undefined) return known;
    this.begin(partition, { applied: 0, readFrom: 0, at: 0 });
    return this.#progressOf(partition);
  }
}

function isBacklog(verdict: HealthVerdict): verdict is Exclude<HealthVerdict, { kind: 'good' | 'ended' }> {
  return verdict.kind === 'down' && verdict.reason === 'backlog';
}
