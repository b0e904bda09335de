/** The rules of feed health: docs/decisions/0080. All times are Unix milliseconds, and are passed in. */
import type { HealthProgress } from '#records/types.ts';
import type { LivenessFacts } from './match-facts.ts';
import type { LateContent } from './signs-of-life.ts';

/** A monitor that has read less than a deadline, and for longer than this, is itself behind. */
export const READ_WITHIN_MS = 500;

/** Maximum durations, milliseconds. */
export type HealthLimits = {
  /** Age of content on its arrival; infinite where it is not judged. */
  readonly delayedAfterMs: number;
  /** Time since the newest content of a match whose clock runs. */
  readonly staleAfterMs: number;
  /** The same of a live match whose clock is stopped and of which keep-alives came before. */
  readonly keepAliveAfterMs: number;
  /** Time that a received message waits for match state. */
  readonly backlogAfterMs: number;
};

/** The reason why a source or match is not alive; docs/guides/feed-health.md has the meaning of each. */
export type HealthReason =
  | 'silence'
  | LateContent['reason']
  | 'backlog'
  | 'unreadable_messages'
  | 'credentials'
  | 'contract'
  | 'network'
  | 'ingress';

/** The judgement of a source or a match now; the state that follows also depends on the previous state. */
export type HealthVerdict =
  | { readonly kind: 'good' }
  | { readonly kind: 'ended' }
  | {
      readonly kind: 'stale' | 'delayed' | 'down' | 'recovering';
      readonly reason: HealthReason;
      /** When it became so. */
      readonly since: number;
      readonly progress: HealthProgress | null;
    };

export const GOOD: HealthVerdict = { kind: 'good' };

/** Whether match state or the monitor itself is behind. */
export function isBacklog(
  verdict: HealthVerdict,
): verdict is Exclude<HealthVerdict, { kind: 'good' | 'ended' }> {
  return verdict.kind === 'down' && verdict.reason === 'backlog';
}

/** The inputs of the verdict on a match under a source. */
type MatchInputs = LivenessFacts & {
  /** Since when `runs` has its value. */
  readonly runsSince: number;
  /** Newest content from the source. */
  readonly heardAt: number;
  /** Set while that content came too late. */
  readonly late: LateContent | null;
  /** Last keep-alive; null without any. */
  readonly keepAliveAt: number | null;
  /** Since when a message of it has been waiting for match state; null if none waits. */
  readonly waitingSince: number | null;
  /** The monitor has read everything that was published before then. */
  readonly readTo: number;
  /** The verdict on the reports of the source's ingress service. */
  readonly source: HealthVerdict;
};

/** Returns when a match becomes silent if no more messages come; null while silence does not count. */
export function silenceDue(match: MatchInputs, limits: HealthLimits): number | null {
  if (match.over) return null;
  const from = Math.max(silentSince(match), match.runsSince);
  if (match.runs) return from + limits.staleAfterMs;
  return match.live && match.keepAliveAt !== null ? from + limits.keepAliveAfterMs : null;
}

/** Returns since when nothing was received of a source or match. What comes too late is no silence, though no sign of life. */
export function silentSince({ heardAt, late }: Pick<MatchInputs, 'heardAt' | 'late'>): number {
  return late?.receivedAt ?? heardAt;
}

/** Returns when match state becomes behind if it applies nothing more; null if no message waits. */
export function backlogDue(match: MatchInputs, limits: HealthLimits): number | null {
  return match.over || match.waitingSince === null ? null : match.waitingSince + limits.backlogAfterMs;
}

/** Judges a match under a source. */
export function judgeMatch(match: MatchInputs, limits: HealthLimits, now: number): HealthVerdict {
  if (match.over) return { kind: 'ended' };
  if (match.source.kind !== 'good') return match.source;
  const behind = backlogDue(match, limits);
  if (behind !== null && behind <= now)
    return { kind: 'down', reason: 'backlog', since: behind, progress: null };
  return judgeContent(match.late, silenceDue(match, limits), match.readTo, now);
}

/** Judges newest content: whether it is silent since before `due`, else whether it came too late. `due`: null if silence does not count. */
export function judgeContent(
  late: LateContent | null,
  due: number | null,
  readTo: number,
  now: number,
): HealthVerdict {
  const silence = due === null ? GOOD : judgeSilence(due, readTo, now);
  if (late === null || silence.kind !== 'good') return silence;
  return { kind: 'delayed', reason: late.reason, since: late.receivedAt, progress: null };
}

/** Judges silence since before `due`. `readTo`: everything published before then is read. */
export function judgeSilence(due: number, readTo: number, now: number): HealthVerdict {
  if (due > now) return GOOD;
  if (readTo >= due) return { kind: 'stale', reason: 'silence', since: due, progress: null };
  // The missing message may be one that is not read yet.
  if (now - due < READ_WITHIN_MS) return GOOD;
  return { kind: 'down', reason: 'backlog', since: due, progress: null };
}
