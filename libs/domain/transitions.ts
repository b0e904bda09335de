import type {
  Cause,
  Clock,
  Incident,
  IncidentPresence,
  MatchTransition,
  NormalizedMessage,
  Score,
} from '#records/types.ts';
import { absenceText } from './absence.ts';
import { isClockChange } from './clock.ts';
import type { EventFacts } from './event-facts.ts';
import { compareIds, type IncidentChange, type IncidentChanges } from './incident-register.ts';
import { absentAt, lastSignOf, presentAt } from './presence.ts';
import { sameScore } from './score.ts';
import type { DerivedMatch } from './view.ts';

/** The kinds of match-transitions records and their meanings, in the order in which a version emits them. */
export const TRANSITION_KINDS = {
  incident_added: 'An incident was reported for the first time, with any confirmation.',
  incident_reinstated: 'A removed incident was reported again.',
  incident_removed: 'An incident was deleted by the provider, or is no longer in its list.',
  incident_missing: 'The provider’s latest list omits an incident, and its removal is not proven.',
  incident_listed: 'A missing incident is no longer missing: it was listed or reported again.',
  incident_confirmed: 'An incident’s confirmation became `confirmed`.',
  incident_cancelled: 'An incident’s confirmation became `cancelled`.',
  incident_amended: 'An incident’s record changed in another field, e.g. the scorer’s name.',
  incident_deleted_unseen: 'The provider deleted an incident that it had not sent before.',
  goal_cancelled:
    'A goal stopped counting: removed, cancelled, or named by a goal-cancelled incident. Emitted once, even if the provider reports it in several ways. `score` has before and after.',
  goal_reinstated: 'A goal that had been cancelled counts again; `score` has before and after.',
  score_changed:
    'The current score changed; `score` has before and after, `goals` the goals that began to count.',
  firm_score_changed: 'The firm score changed; `score` has before and after.',
  status_changed: 'The match’s status changed; `value` has id and type, e.g. `34 live`.',
  clock_changed:
    'The clock was started, stopped or set; `value` has seconds and status, e.g. `2700 stopped`. A running clock that only advances emits nothing.',
  bet_status_changed: 'The provider’s bet status changed; `value` has before and after.',
  result_verified: 'The provider’s flag of a verified result changed; `value` has it as JSON text.',
  event_amended: 'Other fields of the event changed; `fields` names them.',
  message_unread:
    'A message could not be read, or fields of it for the first time: `fields` names them; of a message, `value` has the reason.',
  absence_changed:
    'The provider no longer has the event, or has it again, or an operator ended it; `value` has before and after: `missing`, `deleted`, or `ended` with who ordered it and why.',
  snapshot_applied:
    'The event’s complete incident list was compared; incidents that it removed or brought back have their own transitions.',
  guard_changed: 'The trading guard changed; `guard` is the new one.',
};

type TransitionKind = keyof typeof TRANSITION_KINDS;

/** An accepted version: its cause, and the match before and after. */
type AcceptedVersion = {
  readonly eventId: number;
  readonly version: number;
  readonly cause: Cause;
  readonly before: DerivedMatch;
  readonly after: DerivedMatch;
  readonly incidents: IncidentChanges;
  /** Time of the event's latest snapshot, Unix seconds; null without one. */
  readonly snapshotAt: number | null;
  /** What the cause reports of an incident; null for another cause. What else changed, its message does not show. */
  readonly own: NormalizedMessage['incident'];
  /** What of the cause could not be read: fields for the first time, and why nothing of it could; null if it was read. */
  readonly unread: { readonly fields: readonly string[]; readonly message: string | null };
  /** Fields of the event with a new value. */
  readonly fields: readonly string[];
  /** Fields of the event of the cause that a message of the same second decides. */
  readonly outranked: readonly string[];
  /** Returns the type of an incident; null without a body. */
  readonly typeOf: (id: string) => number | null;
};

type Detail = Partial<
  Pick<
    MatchTransition,
    'incident_id' | 'incident_type' | 'incident_presence' | 'score' | 'value' | 'guard' | 'fields' | 'goals'
  >
>;

/** Fields whose changes have their own kind of transition. */
const KIND_OF_FIELD: Readonly<Record<string, TransitionKind>> = {
  status_id: 'status_changed',
  status_type: 'status_changed',
  status_name: 'status_changed',
  clock_status: 'clock_changed',
  bet_status: 'bet_status_changed',
  verified_result: 'result_verified',
};

/** Fields that advance while the match runs. */
const TICKING: ReadonlySet<string> = new Set(['clock_time', 'played_time', 'ut']);

/** Law 10: returns the transitions of a version, in a fixed order; never an empty list. */
export function transitionsOf(step: AcceptedVersion): MatchTransition[] {
  const collector = new TransitionCollector(step);
  for (const change of step.incidents.incidents) emitIncident(collector, change, step);
  if (step.before.tally !== step.after.tally) emitGoals(collector, step);
  emitScores(collector, step);
  if (step.before.facts !== step.after.facts || step.before.clock !== step.after.clock)
    emitEvent(collector, step);
  emitUnread(collector, step.unread);
  const [was, is] = [step.before.absence, step.after.absence];
  // A repeated absence is emitted too: it is the only change of its version.
  if (was !== is)
    collector.emit('absence_changed', { value: { before: absenceText(was), after: absenceText(is) } });
  emitAmended(collector, step);
  if (step.incidents.snapshot) collector.emit('snapshot_applied', {});
  if (step.before.guard !== step.after.guard) collector.emit('guard_changed', { guard: step.after.guard });
  return collector.emitted;
}

/** Collects transitions and numbers them within their version. */
class TransitionCollector {
  readonly emitted: MatchTransition[] = [];
  readonly #step: AcceptedVersion;

  constructor(step: AcceptedVersion) {
    this.#step = step;
  }

  emit(kind: TransitionKind, detail: Detail): void {
    const { eventId, version, cause, after, outranked } = this.#step;
    const n = this.emitted.length;
    this.emitted.push({
      id: `${eventId}:${version}:${n}`,
      event_id: eventId,
      version,
      n,
      kind,
      incident_id: detail.incident_id ?? null,
      incident_type: detail.incident_type ?? null,
      incident_presence: detail.incident_presence ?? null,
      competition_id: after.facts.competition_id,
      score: detail.score ?? null,
      value: detail.value ?? null,
      guard: detail.guard ?? null,
      fields: detail.fields ?? [],
      cause,
      goals: detail.goals ?? [],
      outranked: [...outranked],
    });
  }

  /** Whether a transition of the kind was emitted. */
  hasEmitted(kind: TransitionKind | undefined): boolean {
    return kind !== undefined && this.emitted.some((transition) => transition.kind === kind);
  }

  change(kind: TransitionKind, before: string | null, after: string | null): void {
    if (before !== after) this.emit(kind, { value: { before, after } });
  }

  score(kind: TransitionKind, before: Score | null, after: Score | null, goals: readonly string[]): void {
    if (!sameScore(before, after)) this.emit(kind, { score: { before, after }, goals: [...goals] });
  }
}

/** Emits the transitions of an incident. Only the first one has its presence. */
function emitIncident(collector: TransitionCollector, change: IncidentChange, step: AcceptedVersion): void {
  const { id, incident } = change.entry;
  const incident_type = incident?.incident_id ?? null;
  let incident_presence: IncidentPresence | null = presenceAfter(change, step);
  for (const kind of kindsOf(change)) {
    collector.emit(kind, { incident_id: id, incident_type, incident_presence });
    incident_presence = null;
  }
}

function kindsOf({ entry, before }: IncidentChange): TransitionKind[] {
  const { incident, removed, missing, deleted_at } = entry;
  if (incident === null) return ['incident_deleted_unseen'];
  const kinds: TransitionKind[] = [];
  if (before.incident === null) {
    kinds.push('incident_added');
    if (removed) kinds.push('incident_removed');
    if (missing) kinds.push('incident_missing');
    return kinds;
  }
  if (removed !== before.removed) kinds.push(removed ? 'incident_removed' : 'incident_reinstated');
  const decided =
    incident.confirmation !== before.incident.confirmation ? decisionOf(incident.confirmation) : null;
  if (decided !== null) kinds.push(decided);
  const amended = !hasSameContent(incident, before.incident) || deleted_at !== before.deleted_at;
  if (amended && decided === null && removed === before.removed) kinds.push('incident_amended');
  // Last, as the first one of an incident tells where it stands.
  if (missing !== before.missing && !removed) kinds.push(missing ? 'incident_missing' : 'incident_listed');
  return kinds;
}

/** Whether two records of an incident report the same, so that only their order in a second differs. */
function hasSameContent(a: Incident, b: Incident): boolean {
  return a === b || (a.body === b.body && a.ut === b.ut && a.event_status_id === b.event_status_id);
}

function presenceAfter(
  { entry, before }: IncidentChange,
  { snapshotAt, own }: AcceptedVersion,
): IncidentPresence {
  const { id, incident, removed, missing } = entry;
  const absent = absentAt(entry, snapshotAt);
  // A delete needs no body.
  const isShown = own?.incident.id === id && (own.deleted || own.incident === incident);
  // No transition kind tells that a new incident is already cancelled.
  const isCancelledFirst = before.incident === null && incident?.confirmation === 'cancelled';
  return {
    removed,
    missing,
    present_at: incident === null ? null : presentSince(incident, entry, snapshotAt),
    absent_at: absent === Number.NEGATIVE_INFINITY ? null : absent,
    incident: isShown && !isCancelledFirst ? null : incident,
  };
}

/** Where an incident is present, an older list that has it counts too: it says more than a list which lacks it. */
function presentSince(incident: Incident, entry: IncidentChange['entry'], snapshotAt: number | null): number {
  return entry.removed ? presentAt(incident, entry, snapshotAt) : lastSignOf(incident, entry);
}

function decisionOf(confirmation: string | null): TransitionKind | null {
  if (confirmation === 'confirmed') return 'incident_confirmed';
  return confirmation === 'cancelled' ? 'incident_cancelled' : null;
}

/** Emits that goals were cancelled, which become void for any reason, or reinstated, which are no longer void. */
function emitGoals(collector: TransitionCollector, { before, after, typeOf }: AcceptedVersion): void {
  const wasVoid = before.tally.voided;
  const isVoid = after.tally.voided;
  const cancelled = [...isVoid.keys()].filter((id) => !wasVoid.has(id));
  const reinstated = after.tally.valid.filter((id) => wasVoid.has(id));
  const score = { before: before.final.score, after: after.final.score };
  for (const id of [...cancelled, ...reinstated].sort(compareIds)) {
    const kind = isVoid.has(id) ? 'goal_cancelled' : 'goal_reinstated';
    collector.emit(kind, { incident_id: id, incident_type: typeOf(id), score });
  }
}

function emitScores(collector: TransitionCollector, { before, after }: AcceptedVersion): void {
  if (before.final === after.final) return;
  const counted = new Set(before.tally.counting);
  const goals =
    after.final.source === 'incidents' ? after.tally.counting.filter((id) => !counted.has(id)) : [];
  collector.score('score_changed', before.final.score, after.final.score, goals);
  collector.score('firm_score_changed', before.final.firm, after.final.firm, []);
}

function emitEvent(collector: TransitionCollector, { before, after }: AcceptedVersion): void {
  const isNews = before.facts !== after.facts;
  if (isNews) collector.change('status_changed', statusText(before.facts), statusText(after.facts));
  if (isClockChange(before.clock, after.clock)) {
    collector.emit('clock_changed', {
      value: { before: clockText(before.clock), after: clockText(after.clock) },
    });
  }
  if (!isNews) return;
  collector.change('bet_status_changed', before.facts.bet_status, after.facts.bet_status);
  collector.change('result_verified', before.facts.verified_result, after.facts.verified_result);
}

/** Emits the fields that no other transition reports. Fields that only advance or repeat are emitted when nothing else is. */
function emitAmended(collector: TransitionCollector, { fields, incidents }: AcceptedVersion): void {
  if (fields.length === 0 && collector.emitted.length > 0) return;
  const unreported = fields.filter(
    (name) => !TICKING.has(name) && !collector.hasEmitted(KIND_OF_FIELD[name]),
  );
  if (unreported.length > 0) collector.emit('event_amended', { fields: [...new Set(unreported)].sort() });
  else if (collector.emitted.length === 0 && !incidents.snapshot) {
    collector.emit('event_amended', { fields: [...new Set(fields)].sort() });
  }
}

function emitUnread(collector: TransitionCollector, { fields, message }: AcceptedVersion['unread']): void {
  if (message !== null) collector.emit('message_unread', { value: { before: null, after: message } });
  else if (fields.length > 0) collector.emit('message_unread', { fields: [...fields] });
}

function statusText({ status_id, status_type }: EventFacts): string | null {
  return wordsOf(status_id, status_type);
}

function clockText(clock: Clock | null): string | null {
  return clock === null ? null : wordsOf(clock.time, clock.status);
}

/** Returns the known values as text, e.g. `34 live`, `2700 stopped`; null when none is known. */
function wordsOf(...values: readonly (string | number | null)[]): string | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.join(' ');
}
