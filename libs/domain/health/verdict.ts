/** The rules of feed health: docs/decisions/0080. All times are Unix milliseconds, and are passed in. */
import type { HealthProgress } from '#topics/generated/types.ts';
import { READ_WITHIN_MS } from './limits.ts';
import type { LivenessFacts } from './match-facts.ts';

/** How long what may last. Milliseconds. */
export type HealthLimits = {
  /** Silence of a match whose clock runs. */
  readonly staleAfterMs: number;
  /** Silence of a live match whose clock is stopped, where keep-alives came before. */
  readonly keepAliveAfterMs: number;
  /** How long a received message may wait for match state. */
  readonly backlogAfterMs: number;
};

/** Why a source or match is not alive; docs/guides/feed-health.md has the meaning of each. */
export type HealthReason = 'silence' | 'backlog' | 'credentials' | 'contract' | 'network' | 'ingress';

/** What is true of a source or a match now; the state that follows from it also depends on the one before. */
export type HealthVerdict =
  | { readonly kind: 'good' }
  | { readonly kind: 'ended' }
  | {
      readonly kind: 'stale' | 'down' | 'recovering';
      readonly reason: HealthReason;
      /** When it became so. */
      readonly since: number;
      readonly progress: HealthProgress | null;
    };

export const GOOD: HealthVerdict = { kind: 'good' };

/** What a match of a source is judged by. */
export type MatchInputs = LivenessFacts & {
  /** Since when `runs` has its value. */
  readonly runsSince: number;
  /** When the source last spoke of it. */
  readonly heardAt: number;
  /** When its latest keep-alive came; null without any. */
  readonly keepAliveAt: number | null;
  /** Since when a message of it waits for match state; null where none does. */
  readonly waitingSince: number | null;
  /** The monitor has read everything that was published before. */
  readonly readTo: number;
  /** What its source's ingress service reports. */
  readonly source: HealthVerdict;
};

/** When a match without further messages becomes silent; null while silence does not count. */
export function silenceDue(match: MatchInputs, limits: HealthLimits): number | null {
  if (match.over) return null;
  const from = Math.max(match.heardAt, match.runsSince);
  if (match.runs) return from + limits.staleAfterMs;
  return match.live && match.keepAliveAt !== null ? from + limits.keepAliveAfterMs : null;
}

/** When our own delay becomes due if nothing is applied; null where nothing waits. */
export function backlogDue(match: MatchInputs, limits: HealthLimits): number | null {
  return match.over || match.waitingSince === null ? null : match.waitingSince + limits.backlogAfterMs;
}

/** Judges a match of a source. */
export function judgeMatch(match: MatchInputs, limits: HealthLimits, now: number): HealthVerdict {
  if (match.over) return { kind: 'ended' };
  if (match.source.kind !== 'good') return match.source;
  const behind = backlogDue(match, limits);
  if (behind !== null && behind <= now)
    return { kind: 'down', reason: 'backlog', since: behind, progress: null };
  const silent = silenceDue(match, limits);
  return silent === null ? GOOD : judgeSilence(silent, match.readTo, now);
}

/** Judges silence that is due at `due`; everything published before `readTo` is read. */
export function judgeSilence(due: number, readTo: number, now: number): HealthVerdict {
  if (due > now) return GOOD;
  if (readTo >= due) return { kind: 'stale', reason: 'silence', since: due, progress: null };
  // What is not read yet may well be what is missed.
  if (now - due < READ_WITHIN_MS) return GOOD;
  return { kind: 'down', reason: 'backlog', since: due, progress: null };
}
