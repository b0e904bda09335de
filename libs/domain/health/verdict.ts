/** The rules of feed health: docs/decisions/0080. All times are Unix milliseconds, and are passed in. */
import type { Event, HealthProgress } from '#records/types.ts';
import { STATUS } from '#soccer/soccer.ts';
import { isOver } from '#trading/trading.ts';
import { NO_EVENT } from '../event.ts';
import { readStatusType } from '../event-facts.ts';
import type { EventRegister } from '../event-register.ts';
import type { LateContent, SignsOfLife } from './signs-of-life.ts';

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

/** Why a source or a match is not believed. */
export type BadVerdict = {
  readonly kind: 'stale' | 'delayed' | 'down' | 'recovering';
  readonly reason: HealthReason;
  /** When it became so. */
  readonly since: number;
  readonly progress: HealthProgress | null;
};

/** The judgement of a source or a match now; the state that follows also depends on the previous state. */
export type HealthVerdict = { readonly kind: 'good' } | { readonly kind: 'ended' } | BadVerdict;

export const GOOD: HealthVerdict = { kind: 'good' };

/** Whether match state or the monitor itself is behind. */
export function isBacklog(verdict: HealthVerdict): verdict is BadVerdict {
  return verdict.kind === 'down' && verdict.reason === 'backlog';
}

/** The inputs of the verdict on a match under a source. */
type MatchInputs = LivenessFacts & {
  /** Since when `runs` has its value. */
  readonly runsSince: number;
  /** The newest content from the source. */
  readonly signs: Pick<SignsOfLife, 'heardAt' | 'late'>;
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
  const from = Math.max(silentSince(match.signs), match.runsSince);
  if (match.runs) return from + limits.staleAfterMs;
  return match.live && match.keepAliveAt !== null ? from + limits.keepAliveAfterMs : null;
}

/** Returns since when nothing was received of a source or match. What comes too late is no silence, though no sign of life. */
export function silentSince({ heardAt, late }: MatchInputs['signs']): number {
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
  return judgeContent(match.signs.late, silenceDue(match, limits), match.readTo, now);
}

/**
 * Judges newest content: whether it is silent since before `due`, else whether it came too late. `due`: null if silence does not
 * count. `readTo`: everything published before then is read.
 */
export function judgeContent(
  late: LateContent | null,
  due: number | null,
  readTo: number,
  now: number,
): HealthVerdict {
  if (due !== null && due <= now) {
    if (readTo >= due) return { kind: 'stale', reason: 'silence', since: due, progress: null };
    // Before that, the missing message may be one that is not read yet.
    if (now - due >= READ_WITHIN_MS) return { kind: 'down', reason: 'backlog', since: due, progress: null };
  }
  return late === null
    ? GOOD
    : { kind: 'delayed', reason: late.reason, since: late.receivedAt, progress: null };
}

/** The facts of a match that feed health reads. */
export type LivenessFacts = {
  /** Whether messages are expected of it. */
  readonly live: boolean;
  /** Whether it is over or deleted: no more messages are expected. */
  readonly over: boolean;
  /** Whether the match clock runs: silence counts. */
  readonly runs: boolean;
};

/** The facts of a match of which nothing is known. */
export const NO_FACTS: LivenessFacts = { live: false, over: false, runs: false };

/** Live statuses of soccer without play. */
const BREAKS: ReadonlySet<number | null> = new Set([
  STATUS.halftime,
  STATUS.extraTimeHalftime,
  STATUS.waitingForExtraTime,
  STATUS.waitingForPenalty,
]);

/** Returns what a message's event says of the facts; null if nothing. `over`: only then may an item status restore the match. */
export function healthOf(event: Event | null, over: boolean): Event | null {
  if (event === null) return null;
  const { clock_status, status_id, status_type } = event;
  const action = event.action === 'delete' ? 'delete' : null;
  const item_status = over || event.item_status === 'deleted' ? event.item_status : null;
  const said = { clock_status, status_id, status_type, action, item_status };
  const nulls = event.nulls.filter((name) => name === 'clock_status');
  if (nulls.length === 0 && Object.values(said).every((one) => one === null)) return null;
  return { ...NO_EVENT, ...said, nulls };
}

/** Reads the facts of a match. A clock whose status was never reported counts as running during play, to notice silence. */
export function matchFacts(register: EventRegister): LivenessFacts {
  const type = readStatusType(register);
  const over = isOver(type);
  const live = !over && type === 'live';
  const clock = register.value('clock_status') ?? null;
  const runs =
    live && (clock === null ? !BREAKS.has(register.value('status_id') ?? null) : clock === 'running');
  return { live, over, runs };
}
