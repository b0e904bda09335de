import type { IngressStatus } from '#topics/generated/types.ts';
import { isGoodState } from '#tradability/feed-status.ts';
import type { ReadProgress } from './applied.ts';
import { REPORTS_WITHIN_MS } from './limits.ts';
import { addGap, applyVerdict, type Standing } from './standing.ts';
import { GOOD, type HealthReason, type HealthVerdict, judgeSilence } from './verdict.ts';

/** What an ingress service knows, and nobody else can judge. */
const REPORTED: ReadonlySet<string | null> = new Set<HealthReason>([
  'credentials',
  'contract',
  'network',
  'ingress',
]);

/** What the matches of a source say of it. */
export type MatchesOfSource = {
  /** Since when silence counts: the latest start of a clock; null while no clock runs. */
  readonly runsSince: number | null;
  /** All that are judged are behind by our own delay, and there are some: since when. */
  readonly behindSince: number | null;
  /** Everything that was published before is read. */
  readonly readTo: number;
};

/** A source, and what its ingress service reports. All times are Unix milliseconds. */
export class SourceTrack {
  readonly source: string;
  standing: Standing;
  heardAt: number;
  #backAt: number | null = null;
  /** The latest report of each process. */
  readonly #reports = new Map<string, IngressStatus>();
  #lastReportAt: number | null = null;
  readonly #reportsRead: ReadProgress;

  constructor(source: string, standing: Standing, heardAt: number, reportsRead: ReadProgress) {
    this.source = source;
    this.standing = standing;
    this.heardAt = heardAt;
    this.#reportsRead = reportsRead;
  }

  /** A sign of life at `at`. */
  heardOf(at: number): void {
    // A monitor that begins reads again what was heard before the silence.
    if (!isGoodState(this.standing.state) && at > this.heardAt) this.#backAt ??= at;
    this.heardAt = Math.max(this.heardAt, at);
  }

  /** A report; a time ahead of `now` counts as now. */
  report(status: IngressStatus, now: number): void {
    const at = Math.min(status.written_at, now);
    this.#reports.set(status.instance, { ...status, written_at: at });
    this.#lastReportAt = Math.max(this.#lastReportAt ?? at, at);
    if (status.heard_at !== null) this.heardOf(Math.min(status.heard_at, now));
    if (status.gap !== null) this.standing = addGap(this.standing, status.gap);
  }

  /** When it is down for want of reports, if none comes any more; null where it never reported. */
  get reportDue(): number | null {
    return this.#lastReportAt === null ? null : this.#dueAfter(this.#lastReportAt);
  }

  /** What its ingress service reports, as a verdict. One process that is up is enough. */
  reported(now: number): HealthVerdict {
    for (const [instance, { written_at }] of this.#reports)
      if (this.#isMissed(written_at)) this.#reports.delete(instance);
    const reports = [...this.#reports.values()];
    if (reports.some(({ state }) => state === 'up')) return GOOD;
    const report = reports.find(({ state }) => state === 'recovering') ?? reports[0];
    if (report === undefined) return this.#unreported();
    const { state, reason, progress } = report;
    const kind = state === 'recovering' ? 'recovering' : 'down';
    return this.#since({ kind, reason: (reason ?? 'ingress') as HealthReason, since: now, progress });
  }

  /** Judges it. What is reported comes first. */
  judge(reported: HealthVerdict, matches: MatchesOfSource, staleAfterMs: number, now: number): void {
    const verdict = reported.kind === 'good' ? judgeMatches(this, matches, staleAfterMs, now) : reported;
    const signs = { lastAt: this.#lastSign(verdict, now), backAt: this.#backAt };
    this.standing = applyVerdict(this.standing, verdict, signs, now);
    if (verdict.kind === 'good') this.#backAt = null;
  }

  /** Nobody reports: it never did, or no longer. */
  #unreported(): HealthVerdict {
    const { state, reason, since, progress } = this.standing;
    if (this.#lastReportAt !== null)
      return this.#since({
        kind: 'down',
        reason: 'ingress',
        since: this.#dueAfter(this.#lastReportAt),
        progress: null,
      });
    // As reported before the monitor began, until a new report arrives.
    const wasReported = (state === 'down' || state === 'recovering') && REPORTED.has(reason);
    if (!wasReported || this.heardAt > since) return GOOD;
    return { kind: state, reason: reason as HealthReason, since, progress };
  }

  /** When a report is due after one of `reportedAt`: none could be written while none could be read. */
  #dueAfter(reportedAt: number): number {
    return Math.max(reportedAt, this.#reportsRead.since) + REPORTS_WITHIN_MS;
  }

  #isMissed(reportedAt: number): boolean {
    return this.#reportsRead.to >= this.#dueAfter(reportedAt);
  }

  /** An unchanged verdict keeps its start. */
  #since(verdict: Exclude<HealthVerdict, { kind: 'good' | 'ended' }>): HealthVerdict {
    const { state, reason, since } = this.standing;
    return state === verdict.kind && reason === verdict.reason ? { ...verdict, since } : verdict;
  }

  /** Where a gap that begins now begins: what is read again begins with the progress, which is by the provider's clock. */
  #lastSign(verdict: HealthVerdict, now: number): number {
    const progress = 'progress' in verdict ? verdict.progress : null;
    if (progress === null) return this.heardAt;
    return Math.min(this.heardAt, now - (progress.to - progress.from) * 1000);
  }
}

function judgeMatches(
  source: SourceTrack,
  { runsSince, behindSince, readTo }: MatchesOfSource,
  staleAfterMs: number,
  now: number,
): HealthVerdict {
  if (behindSince !== null) return { kind: 'down', reason: 'backlog', since: behindSince, progress: null };
  if (runsSince === null) return GOOD;
  return judgeSilence(Math.max(runsSince, source.heardAt) + staleAfterMs, readTo, now);
}
