import type { FeedHealth, HealthGap, HealthProgress } from '#records/types.ts';
import type { SignsOfLife } from './signs-of-life.ts';
import type { HealthReason, HealthVerdict } from './verdict.ts';

/** How a gap was filled: `open` not yet, `none` not at all, `skipped` its messages were left out. */
type GapAction = 'open' | 'none' | 'caught_up' | 'snapshot' | 'skipped';

/** What began a gap. `monitor`: nothing was published; `ended`: the match was over, or abandoned. */
export type GapReason = HealthReason | 'monitor' | 'ended';

/** The state of a source, or of a match under a source. While the state is not good, the last gap is open. */
export type HealthStatus = Readonly<
  Pick<FeedHealth, 'state' | 'reason' | 'since' | 'progress' | 'gaps' | 'gap_count'>
>;

/** Where a gap begins, and where it may end. */
type GapSigns = Pick<SignsOfLife, 'lastAt' | 'backAt'>;

const MAX_GAPS = 100;
/** Maximum time between two gaps without a record that are one. */
const JOINED_MS = 1_000;
/** Time for which `recovered` is shown (docs/decisions/0080). */
const RECOVERED_MS = 60_000;

/** Returns the status of a source or match that is alive and has no past. */
export function aliveSince(since: number): HealthStatus {
  return { state: 'alive', reason: null, since, progress: null, gaps: [], gap_count: 0 };
}

/** Returns the status after a verdict; the same object if nothing changes. */
export function applyVerdict(
  before: HealthStatus,
  verdict: HealthVerdict,
  signs: GapSigns,
  now: number,
): HealthStatus {
  switch (verdict.kind) {
    case 'ended':
      return before.state === 'ended' ? before : { ...closed(before, signs, now), ...named('ended', now) };
    case 'good':
      return recover(before, signs, now);
    default: {
      const { kind, reason, since, progress } = verdict;
      const same = before.state === kind && before.reason === reason;
      // It was back, and silent again, while no monitor judged it.
      if (same && reason === 'silence' && signs.backAt !== null && since > before.since)
        return applyVerdict(recover(before, signs, now), verdict, { ...signs, backAt: null }, now);
      if (same && sameProgress(before.progress, progress)) return before;
      const open = openGapOf(before);
      const opened = open
        ? namedAfter(before, open, reason)
        : withGap(resumed(before, now), newGap(signs.lastAt, reason, now));
      return { ...opened, state: kind, reason, since: same ? before.since : since, progress };
    }
  }
}

/** Adds a closed gap, unless it is known already. */
export function addGap(before: HealthStatus, gap: HealthGap): HealthStatus {
  const known = before.gaps.some(({ from, action }) => from === gap.from && action === gap.action);
  if (known) return before;
  // An open gap stays the last one.
  const at = openGapOf(before) ? -1 : before.gaps.length;
  return {
    ...before,
    gaps: before.gaps.toSpliced(at, 0, gap).slice(-MAX_GAPS),
    gap_count: before.gap_count + 1,
  };
}

/**
 * Adds a gap in which no record was published. Ignores it for an ended match, and where an open gap covers it. Several records of a
 * source may expire one after another: extends the last gap when that has the same reason and ended at most `JOINED_MS` before.
 */
export function addUnpublished(before: HealthStatus, gap: HealthGap): HealthStatus {
  const open = openGapOf(before);
  if (before.state === 'ended' || (open && (open.published_from ?? open.from) <= gap.from)) return before;
  const last = before.gaps.at(-1);
  if (last?.reason !== gap.reason || last.to === null || gap.from - last.to > JOINED_MS)
    return addGap(before, gap);
  const joined = { ...last, to: gap.to, published_to: gap.published_to };
  return { ...before, gaps: [...before.gaps.slice(0, -1), joined] };
}

/** Marks gaps that ended by `at` and were not filled as filled by a snapshot. */
export function fillGaps(before: HealthStatus, at: number): HealthStatus {
  const fits = (gap: HealthGap): boolean => gap.action === 'none' && gap.to !== null && gap.to <= at;
  if (!before.gaps.some(fits)) return before;
  return { ...before, gaps: before.gaps.map((gap) => (fits(gap) ? { ...gap, action: 'snapshot' } : gap)) };
}

/** Adds the time in which nobody believed an ended match: it was over, or no message of it had come for hours. */
function resumed(before: HealthStatus, now: number): HealthStatus {
  if (before.state !== 'ended') return before;
  return withGap(before, unpublishedGap(before.since, now, 'ended'));
}

function recover(before: HealthStatus, signs: GapSigns, now: number): HealthStatus {
  if (before.state === 'alive') return before;
  if (before.state === 'ended') return { ...resumed(before, now), ...named('alive', now) };
  if (before.state === 'recovered')
    return now - before.since < RECOVERED_MS ? before : { ...before, ...named('alive', now) };
  return { ...closed(before, signs, now), ...named('recovered', now) };
}

function named(
  state: FeedHealth['state'],
  since: number,
): Pick<HealthStatus, 'state' | 'reason' | 'since' | 'progress'> {
  return { state, reason: null, since, progress: null };
}

function openGapOf({ gaps }: HealthStatus): HealthGap | undefined {
  const last = gaps.at(-1);
  return last?.action === 'open' ? last : undefined;
}

function closed(before: HealthStatus, { backAt }: GapSigns, now: number): HealthStatus {
  const open = openGapOf(before);
  if (open === undefined) return before;
  // A backlog was applied from the log; a recovering source read from its checkpoint.
  const caughtUp = open.reason === 'backlog' || before.state === 'recovering';
  const action: GapAction = caughtUp ? 'caught_up' : 'none';
  const to = Math.max(open.from, caughtUp ? now : (backAt ?? now));
  return { ...before, gaps: [...before.gaps.slice(0, -1), { ...open, to, action, published_to: now }] };
}

function newGap(from: number, reason: HealthReason, now: number): HealthGap {
  return {
    from,
    to: null,
    reason,
    action: 'open' satisfies GapAction,
    published_from: now,
    published_to: null,
  };
}

/** Returns the gap between the expiry of the last published record and `now`. Match state was not concerned. */
export function unpublishedGap(from: number, now: number, reason: GapReason = 'monitor'): HealthGap {
  const action: GapAction = 'caught_up';
  return { from, to: now, reason, action, published_from: from, published_to: now };
}

/** A backlog hides other reasons: the open gap is named after another reason once that is known. */
function namedAfter(before: HealthStatus, open: HealthGap, reason: string): HealthStatus {
  if (open.reason !== 'backlog') return before;
  return { ...before, gaps: [...before.gaps.slice(0, -1), { ...open, reason }] };
}

function withGap(before: HealthStatus, gap: HealthGap): HealthStatus {
  return { ...before, gaps: [...before.gaps, gap].slice(-MAX_GAPS), gap_count: before.gap_count + 1 };
}

function sameProgress(a: HealthProgress | null, b: HealthProgress | null): boolean {
  return a === b || (a !== null && b !== null && a.from === b.from && a.position === b.position);
}
