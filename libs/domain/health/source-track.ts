import type { HealthGap, HealthProgress, IngressStatus } from '#records/types.ts';
import { isBelieved } from '#trading/feed-status.ts';
import type { ReadProgress } from './applied.ts';
import { addGap, applyVerdict, type HealthStatus } from './health-status.ts';
import { type ContentReceipt, ProviderClock, type SignsOfLife } from './signs-of-life.ts';
import { GOOD, type HealthReason, type HealthVerdict, judgeContent, silentSince } from './verdict.ts';

/** Time after which a process of an ingress service without a report no longer reports (docs/decisions/0080). */
export const REPORTS_WITHIN_MS = 10_000;

/** Reasons for which a source is down that only an ingress service knows. */
const REPORTED_REASONS: ReadonlySet<string | null> = new Set<HealthReason>([
  'unreadable_messages',
  'credentials',
  'contract',
  'network',
  'ingress',
]);

/** The matches of a source, to judge it. */
type MatchesOfSource = {
  /** The latest start of a match clock, since when silence counts; null while no clock runs. */
  readonly runsSince: number | null;
  /** Since when match state is behind in all judged matches; null if there are none, or if it is not behind in one. */
  readonly behindSince: number | null;
  /** Everything that was published before then is read. */
  readonly readTo: number;
};

/** The content of the record of a source, and when it was written. */
type WrittenSource = {
  readonly health: HealthStatus;
  readonly at: number;
  readonly reason: string | null;
  readonly validUntil: number;
  /** Until when readers believe the record before it; null if there was none. */
  readonly promisedBefore: number | null;
};

/** The health of a source, and the reports of its ingress service. All times are Unix milliseconds. */
export class SourceTrack {
  readonly source: string;
  health: HealthStatus;
  readonly signs: SignsOfLife;
  readonly clock = new ProviderClock();
  /** Its last record in this term; null where it must be written. */
  written: WrittenSource | null = null;
  /** Until when readers believe the records that were published so far; null if there was none. */
  promised: number | null = null;
  /** The gap before the last record, where the one before had expired. */
  unpublished: HealthGap | null = null;
  /** The latest report of each process. */
  readonly #reports = new Map<string, IngressStatus>();
  #lastReportAt: number | null = null;
  readonly #reportsRead: ReadProgress;

  constructor(source: string, health: HealthStatus, signs: SignsOfLife, reportsRead: ReadProgress) {
    this.source = source;
    this.health = health;
    this.signs = signs;
    this.#reportsRead = reportsRead;
  }

  /** Has its record written again, as the topic may have another one. */
  rewrite(): void {
    if (this.written === null) return;
    this.promised = this.written.promisedBefore;
    this.written = null;
    this.unpublished = null;
  }

  /** Notes a message, or an answer that had everything. */
  noteContent(receipt: ContentReceipt): void {
    this.signs.note(receipt, this.clock.ahead, isBelieved(this.health.state));
  }

  /** Why the last read of every process failed, while they still count as up; null if one did not fail. */
  get failure(): HealthReason | null {
    const reports = [...this.#reports.values()];
    if (reports.some(({ state, reason }) => state !== 'up' || reason === null)) return null;
    return (reports[0]?.reason ?? null) as HealthReason | null;
  }

  /** Applies a report; a time ahead of `now` counts as now. */
  report(status: IngressStatus, now: number): void {
    const at = Math.min(status.written_at, now);
    this.#reports.set(status.instance, { ...status, written_at: at });
    this.#lastReportAt = Math.max(this.#lastReportAt ?? at, at);
    // Messages that cannot be read are no sign of life.
    if (status.heard_at !== null && !isUnreadable([...this.#reports.values()])) {
      const heardAt = Math.min(status.heard_at, now);
      this.noteContent({ contentAt: heardAt, receivedAt: heardAt });
    }
    if (status.gap !== null) this.health = addGap(this.health, status.gap);
  }

  /** When the source becomes down if no more reports come; null if it never reported. */
  get reportDue(): number | null {
    return this.#lastReportAt === null ? null : this.#dueAfter(this.#lastReportAt);
  }

  /** Returns the verdict on its reports: good if one process is up, and what all processes receive can be read. */
  reported(now: number): HealthVerdict {
    for (const [instance, { written_at }] of this.#reports)
      if (this.#isMissed(written_at)) this.#reports.delete(instance);
    const reports = [...this.#reports.values()];
    if (reports.some(({ state }) => state === 'up'))
      return isUnreadable(reports) ? this.#bad('down', 'unreadable_messages', now) : GOOD;
    const report = reports.find(({ state }) => state === 'recovering') ?? reports[0];
    if (report === undefined) return this.#unreported();
    const { state, reason, progress } = report;
    const kind = state === 'recovering' ? 'recovering' : 'down';
    return this.#bad(kind, (reason ?? 'ingress') as HealthReason, now, progress);
  }

  /** Judges the source by its reports; if these are good, by its matches. */
  judge(reported: HealthVerdict, matches: MatchesOfSource, staleAfterMs: number, now: number): void {
    const verdict = reported.kind === 'good' ? this.#judgeMatches(matches, staleAfterMs, now) : reported;
    const signs = { lastAt: this.#lastSign(verdict, now), backAt: this.signs.backAt };
    this.health = applyVerdict(this.health, verdict, signs, now);
    if (verdict.kind === 'good') this.signs.backAt = null;
  }

  #judgeMatches(matches: MatchesOfSource, staleAfterMs: number, now: number): HealthVerdict {
    const { runsSince, behindSince, readTo } = matches;
    if (behindSince !== null) return { kind: 'down', reason: 'backlog', since: behindSince, progress: null };
    return judgeContent(this.signs.late, this.silenceDue(runsSince, staleAfterMs), readTo, now);
  }

  /** Returns when it becomes silent if no more messages come; null while the clock of no match runs. */
  silenceDue(runsSince: number | null, staleAfterMs: number): number | null {
    return runsSince === null ? null : Math.max(runsSince, silentSince(this.signs)) + staleAfterMs;
  }

  /** Returns the verdict on a source without reports: it never reported, or no longer does. */
  #unreported(): HealthVerdict {
    const { state, reason, since, progress } = this.health;
    if (this.reportDue !== null) return this.#bad('down', 'ingress', this.reportDue);
    // The reports that the previous monitor knew count until a new one arrives.
    const isReported = state === 'recovering' || (state === 'down' && REPORTED_REASONS.has(reason));
    if (!isReported || this.signs.heardAt > since) return GOOD;
    return { kind: state, reason: reason as HealthReason, since, progress };
  }

  /** Returns when the report after one of `reportedAt` is due. No report could be written while none could be read. */
  #dueAfter(reportedAt: number): number {
    return Math.max(reportedAt, this.#reportsRead.since) + REPORTS_WITHIN_MS;
  }

  #isMissed(reportedAt: number): boolean {
    return this.#reportsRead.to >= this.#dueAfter(reportedAt);
  }

  /** Returns a verdict; an unchanged one with its previous start. */
  #bad(
    kind: 'down' | 'recovering',
    reason: HealthReason,
    since: number,
    progress: HealthProgress | null = null,
  ): HealthVerdict {
    const isSame = this.health.state === kind && this.health.reason === reason;
    return { kind, reason, since: isSame ? this.health.since : since, progress };
  }

  /** Returns the start of a gap that opens now. Messages are read again from the progress, by the provider's clock. */
  #lastSign(verdict: HealthVerdict, now: number): number {
    const progress = 'progress' in verdict ? verdict.progress : null;
    // A source may have reported, and sent nothing yet.
    const lastAt = this.signs.lastAt || this.health.since;
    if (progress === null) return lastAt;
    return Math.min(lastAt, now - (progress.to - progress.from) * 1000);
  }
}

/** Minimum number of unreadable messages: a single damaged message says nothing of its source. */
const MIN_UNREADABLE = 3;
/** Share of unreadable messages of the last minute above which a source is not believed. */
const MAX_SHARE = 0.1;

type ProcessCounts = Pick<IngressStatus, 'messages_read' | 'messages_unreadable' | 'unreadable_in_row'>;

/** Whether the last three messages of a process, or a tenth of those of all in a minute, are unreadable (docs/decisions/0080). */
export function isUnreadable(processes: readonly ProcessCounts[]): boolean {
  const read = processes.reduce((sum, { messages_read }) => sum + messages_read, 0);
  const unreadable = processes.reduce((sum, { messages_unreadable }) => sum + messages_unreadable, 0);
  if (unreadable >= MIN_UNREADABLE && unreadable >= MAX_SHARE * (read + unreadable)) return true;
  // A row of a process that no longer receives messages ends a minute later, when another process reads them.
  return processes.some(
    ({ unreadable_in_row, messages_unreadable }) =>
      unreadable_in_row >= MIN_UNREADABLE && (messages_unreadable > 0 || read === 0),
  );
}
