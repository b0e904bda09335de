import { STATUSES } from '#soccer/statuses.ts';
import { isOver } from '#trading/trading.ts';
import type { StoryStep } from '#views/store/board-view.ts';
import { type ClosingPast, type Course, type FeedPast, feedAt, knownSteps, statusOf } from './course.ts';
import { orderWords, scopeWords } from './halts.ts';
import { scoresByStep } from './incidents.ts';
import { lateBy } from './minute.ts';
import { guardWords, reasonWords, scoreWords, statusName } from './words.ts';

/** A change of the score, the guard, the status, the betting status, the result or the feed of a match, or an order about it. */
export type HistoryEntry = {
  /** Null for a change of the feed, and an order. */
  readonly version: number | null;
  /** From when it was known, Unix milliseconds; never before the entry before it. */
  readonly at: number;
  /** The provider's time of its message, Unix seconds; null without one. */
  readonly ut: number | null;
  /** As of `lateBy`. */
  readonly late: number | null;
  readonly kind: EntryKind;
  readonly what: string;
  /** The incident that explains a score; null: none. */
  readonly incident_id: string | null;
};

type EntryKind = 'halted' | 'safe' | 'status' | 'bets' | 'score' | 'result' | 'unread' | 'feed' | 'fed';

/** Returns a match's history in the order in which it was known, without changes of the guard after its end. `course`: null if never in play. */
export function historyOf(
  story: readonly StoryStep[],
  { feed, halts }: ClosingPast,
  course: Course | null,
): HistoryEntry[] {
  const effects = scoresByStep(story);
  const causes = new Map(
    story.flatMap(({ id, version, incident_id }) => (effects.has(id) ? [[version, incident_id]] : [])),
  );
  const closing = new Map(
    story
      .filter(({ kind }) => kind === 'status_changed')
      .map(({ version, value }) => [version, isOver(statusOf(value?.after ?? null)[1])]),
  );
  let closed = false;
  const entries = knownSteps(story).flatMap((step): HistoryEntry[] => {
    const { version, at, ut } = step;
    closed = closing.get(version) ?? closed;
    const incident_id = step.kind === 'score_changed' ? (causes.get(version) ?? null) : null;
    const entry = stepEntry(step, incident_id !== null, closed);
    if (entry === null) return [];
    return [{ version, at, ut, late: lateBy(step), kind: entry[0], what: entry[1], incident_id }];
  });
  return [...entries, ...feedEntries(feed, course), ...haltEntries(halts, story[0]?.received_at)].sort(
    (a, b) => a.at - b.at,
  );
}

/** Returns the orders by hand since the match was known. `from`: Unix milliseconds. */
function haltEntries(halts: ClosingPast['halts'], from = 0): HistoryEntry[] {
  return halts
    .flatMap(({ scope, orders }) => orders.map((given) => ({ scope, given })))
    .filter(({ given }) => given.order.at >= from)
    .map(({ scope, given }) => ({
      version: null,
      at: given.order.at,
      ut: null,
      late: null,
      kind: given.action === 'halt' ? 'halted' : 'safe',
      what: scope.startsWith('match:') ? orderWords(given) : `${orderWords(given)} (${scopeWords(scope)})`,
      incident_id: null,
    }));
}

/** Returns the changes of the feed while the match was in play. */
function feedEntries(feed: FeedPast, course: Course | null): HistoryEntry[] {
  const stretches = course?.stretches ?? [];
  return stretches.flatMap(({ from: at, believed }, n) => {
    if (believed === (stretches[n - 1]?.believed ?? true)) return [];
    const { reason } = feedAt(feed, at);
    const [kind, what] = believed
      ? (['fed', 'Feed believed again'] as const)
      : (['feed', `Feed not believed: ${reason === null ? 'health unknown' : reasonWords(reason)}`] as const);
    return [{ version: null, at, ut: null, late: null, kind, what, incident_id: null }];
  });
}

type Entry = readonly [kind: EntryKind, what: string];

/** Returns the kind and words of a step; null for one of an incident, of the guard when `closed`, and of the firm score. */
export function stepEntry(
  { kind, guard, score, value }: StoryStep,
  byGoal: boolean,
  closed: boolean,
): Entry | null {
  const after = value?.after ?? null;
  switch (kind) {
    case 'guard_changed':
      if (guard === null || closed) return null;
      return guard.safe ? ['safe', 'Guard opened'] : ['halted', `Guard closed: ${guardWords(guard.reasons)}`];
    case 'status_changed':
      return ['status', `Status: ${statusWords(after)}`];
    case 'absence_changed':
      return ['status', absenceWords(after)];
    case 'bet_status_changed':
      return ['bets', `Provider’s betting: ${after ?? 'unknown'}`];
    case 'score_changed': {
      if (score === null) return null;
      if (score.before === null) return ['score', `Score reported: ${scoreWords(score.after)}`];
      const change = `${scoreWords(score.before)} → ${scoreWords(score.after)}`;
      return ['score', byGoal ? `Score ${change}` : `Score changed without a known goal: ${change}`];
    }
    case 'message_unread':
      return [
        'unread',
        after === null ? 'Fields of a message could not be read' : `A message could not be read: ${after}`,
      ];
    case 'result_verified':
      return ['result', `Provider’s verified result: ${after ?? 'not reported'}`];
    default:
      return null;
  }
}

/** Returns in words what an `absence_changed` has as its value after it. */
export function absenceWords(after: string | null): string {
  if (after === null) return 'The provider has the match again';
  if (after === 'missing') return 'The provider no longer has the match';
  if (after === 'deleted') return 'The provider still does not have the match: deleted';
  return `Match ${after}`;
}

/** Returns the name of a status written as `34 live`; null: unknown. */
function statusWords(written: string | null): string {
  const [status_id, status_type] = statusOf(written);
  const name = STATUSES.get(status_id)?.name;
  return name ?? statusName({ status_id, status_type, status_words: null });
}
