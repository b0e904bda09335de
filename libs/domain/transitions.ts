import { each } from '#json/records.ts';
import type {
  Cause,
  IncidentPresence,
  KeyIncident,
  MatchTransition,
  NormalizedMessage,
  Score,
} from '#records/types.ts';
import { isOver } from '#trading/trading.ts';
import { absenceText } from './absence.ts';
import { isClockChange } from './clock.ts';
import { sameValue, yesNoOrNull } from './event.ts';
import type { FieldChanges } from './event-register.ts';
import { hasBody, type KnownIncident, type KnownSides, type Side, sameScore } from './goals.ts';
import {
  absentAt,
  compareIds,
  type IncidentChange,
  type IncidentChanges,
  type IncidentRegister,
  lastSignOf,
  presentAt,
} from './incident-register.ts';
import { keyIncident } from './key-incidents.ts';
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
  sides_exchanged:
    'The home and the away team changed places; each keeps its goals. `score` has before and after: the same goals the other way round.',
  goal_cancelled:
    'A goal stopped counting for its team: removed, cancelled, named by a goal-cancelled incident, or corrected to another team or type. Emitted once, even if the provider reports it in several ways. `score` has before and after of this goal alone, `key_incident_before` the goal as it counted.',
  goal_reinstated:
    'A goal that had been cancelled counts again; `score` has before and after of this goal alone.',
  score_changed:
    'The current score changed, or goals count that leave it as it was; `score` has before and after of the version, `goals` the goals that began to count for their team.',
  firm_score_changed: 'The firm score changed; `score` has before and after.',
  status_changed: 'The match’s status changed; `value` has id and type, e.g. `34 live`.',
  clock_changed:
    'The clock was started, stopped or set; `value` has seconds and status, e.g. `2700 stopped`. A running clock that only advances emits nothing.',
  bet_status_changed: 'The provider’s bet status changed; `value` has before and after.',
  result_verified: 'The provider’s flag of a verified result changed; `value` says yes or no.',
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

type AcceptedVersion = {
  readonly eventId: number;
  readonly version: number;
  readonly cause: Cause;
  /** The message of the cause. What else changed, it does not show. */
  readonly message: NormalizedMessage;
  readonly before: DerivedMatch;
  readonly after: DerivedMatch;
  readonly event: FieldChanges;
  readonly register: IncidentRegister;
  readonly incidents: IncidentChanges;
  /** Fields of the message that could not be read, for the first time. */
  readonly unread: readonly string[];
};

/** What only some kinds of transitions have. */
const NO_DETAIL = {
  ...each(null, 'incident_id', 'incident_type', 'incident_presence', 'key_incident', 'key_incident_before'),
  ...each(null, 'score', 'value'),
  fields: [],
  goals: [],
} satisfies Partial<MatchTransition>;

type Detail = Partial<Pick<MatchTransition, keyof typeof NO_DETAIL>>;

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
  const base = emitExchange(collector, step);
  const started = step.before.tally === step.after.tally ? [] : emitGoals(collector, step, base);
  emitScores(collector, step, started);
  emitEvent(collector, step);
  emitUnread(collector, step);
  const [was, is] = [step.before.absence, step.after.absence];
  // A repeated absence is emitted too: it is the only change of its version.
  if (was !== is)
    collector.emit('absence_changed', { value: { before: absenceText(was), after: absenceText(is) } });
  emitAmended(collector, step);
  if (step.incidents.snapshot) collector.emit('snapshot_applied', {});
  if (step.before.guard !== step.after.guard) collector.emit('guard_changed', {});
  return collector.emitted;
}

class TransitionCollector {
  readonly emitted: MatchTransition[] = [];
  readonly #step: AcceptedVersion;
  readonly #match: MatchTransition['match'];

  constructor(step: AcceptedVersion) {
    this.#step = step;
    this.#match = matchNow(step);
  }

  emit(kind: TransitionKind, detail: Detail): void {
    const { eventId, version, cause, event } = this.#step;
    const n = this.emitted.length;
    this.emitted.push({
      id: `${eventId}:${version}:${n}`,
      event_id: eventId,
      version,
      n,
      kind,
      ...NO_DETAIL,
      ...detail,
      match: this.#match,
      cause,
      remaining: kind === 'score_changed' ? this.#remaining() : null,
      outranked: [...event.outranked],
    });
  }

  /** Returns what the exchange of sides and the cancelled goals, emitted before, left of the score; null without them. */
  #remaining(): MatchTransition['remaining'] {
    const last = this.emitted.findLast(({ kind }) => kind === 'sides_exchanged' || kind === 'goal_cancelled');
    if (last === undefined) return null;
    return { score: last.score?.after ?? null, cancelled: last.kind === 'goal_cancelled' };
  }

  hasEmitted(kind: TransitionKind | undefined): boolean {
    return this.emitted.some((transition) => transition.kind === kind);
  }

  change(kind: TransitionKind, before: string | null, after: string | null): void {
    if (before !== after) this.emit(kind, { value: { before, after } });
  }
}

function matchNow({
  version,
  before,
  after: { facts, final, guard },
}: AcceptedVersion): MatchTransition['match'] {
  return {
    name: facts.name,
    sport_id: facts.sport_id,
    competition_id: facts.competition_id,
    season_id: facts.season_id,
    home: facts.sides.home,
    away: facts.sides.away,
    status_id: facts.status_id,
    status_type: facts.status_type,
    over: isOver(facts.status_type),
    score: final.score,
    score_before: before.final.score,
    firm: final.firm,
    firm_before: before.final.firm,
    guard,
    guard_before: version === 1 ? null : before.guard,
  };
}

/** Returns an incident before and after a version. `change`: what the version did to it. */
function beforeAndAfter(
  id: string,
  { before, after, register, incidents }: AcceptedVersion,
  change = incidents.incidents.find(({ entry }) => entry.id === id),
): Required<Pick<Detail, 'key_incident' | 'key_incident_before'>> {
  const now = change?.entry ?? register.get(id);
  const was = change === undefined ? now : { id, ...change.before };
  return { key_incident: keyOf(now, after), key_incident_before: keyOf(was, before) };
}

function keyOf(known: KnownIncident | undefined, match: DerivedMatch): KeyIncident | null {
  return known !== undefined && hasBody(known) ? keyIncident(known, match) : null;
}

/** Emits the transitions of an incident. Only the first one has its presence. */
function emitIncident(collector: TransitionCollector, change: IncidentChange, step: AcceptedVersion): void {
  const { id, incident } = change.entry;
  const incident_type = incident?.incident_id ?? null;
  const both = beforeAndAfter(id, step, change);
  let incident_presence: IncidentPresence | null = presenceAfter(change, step);
  for (const kind of kindsOf(change)) {
    collector.emit(kind, { incident_id: id, incident_type, incident_presence, ...both });
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
  // The message decides only the order of equal records in a second.
  const current = { ...before.incident, message_id: incident.message_id };
  const amended = !sameValue(incident, current) || deleted_at !== before.deleted_at;
  if (amended && decided === null && removed === before.removed) kinds.push('incident_amended');
  // Last, as the first one of an incident tells where it stands.
  if (missing !== before.missing && !removed) kinds.push(missing ? 'incident_missing' : 'incident_listed');
  return kinds;
}

function presenceAfter(
  { entry, before }: IncidentChange,
  { register: { snapshotAt }, message: { incident: own } }: AcceptedVersion,
): IncidentPresence {
  const { id, incident, removed, missing } = entry;
  // A delete needs no body.
  const isShown = own?.incident.id === id && (own.deleted || own.incident === incident);
  // No transition kind tells that a new incident is already cancelled.
  const isCancelledFirst = before.incident === null && incident?.confirmation === 'cancelled';
  return {
    removed,
    missing,
    // Of a present incident, an older list that has it counts too: it says more than a list which lacks it.
    present_at: incident && (removed ? presentAt(incident, entry, snapshotAt) : lastSignOf(incident, entry)),
    absent_at: absentAt(entry, snapshotAt),
    incident: isShown && !isCancelledFirst ? null : incident,
  };
}

function decisionOf(confirmation: string | null): TransitionKind | null {
  if (confirmation === 'confirmed') return 'incident_confirmed';
  return confirmation === 'cancelled' ? 'incident_cancelled' : null;
}

function emitExchange(collector: TransitionCollector, { before, after }: AcceptedVersion): Score | null {
  const { score } = before.final;
  if (!hasExchanged(before.facts.sides, after.facts.sides)) return score;
  const exchanged = score && { home: score.away, away: score.home };
  collector.emit('sides_exchanged', { score: { before: score, after: exchanged } });
  return exchanged;
}

function hasExchanged(before: KnownSides, after: KnownSides): boolean {
  if (before.home === null || before.away === null || before.home.id === before.away.id) return false;
  return before.home.id === after.away?.id && before.away.id === after.home?.id;
}

/**
 * Emits the goals that stopped counting for their team: void for any reason, or corrected. Then those that are no longer void. Each
 * has the score before and after itself, from `base` on. Returns the goals that began to count for their team.
 */
function emitGoals(collector: TransitionCollector, step: AcceptedVersion, base: Score | null): string[] {
  const { before, after } = step;
  const [was, is] = [before.tally, after.tally];
  const [counted, counts] = [new Set(was.counting), new Set(is.counting)];
  const isForOther = (id: string): boolean => {
    const [from, to] = [teamOf(id, before), teamOf(id, after)];
    return from !== undefined && to !== undefined && from !== to;
  };
  const cancelled = [
    ...[...is.voided.keys()].filter((id) => !was.voided.has(id)),
    ...was.counting.filter((id) => !is.voided.has(id) && (!counts.has(id) || isForOther(id))),
  ];
  const reinstated = is.valid.filter((id) => was.voided.has(id));
  let score = base;
  const emit = (kind: 'goal_cancelled' | 'goal_reinstated', id: string, next: Score | null): void => {
    const both = beforeAndAfter(id, step);
    // A goal may be known as cancelled from the first.
    const { key_incident: incident, key_incident_before: was } = both;
    const incident_type = (kind === 'goal_cancelled' ? (was ?? incident) : incident)?.incident_type ?? null;
    collector.emit(kind, { incident_id: id, incident_type, ...both, score: { before: score, after: next } });
    score = next;
  };
  const isOfGoals = before.final.source === 'incidents' && after.final.source === 'incidents';
  for (const id of cancelled.sort(compareIds)) {
    const side = counted.has(id) ? sideAfter(id, step) : is.sides.get(id);
    const lowers = (now: Score, of: Side): boolean =>
      isOfGoals ? counted.has(id) : now[of] > (after.final.score?.[of] ?? now[of]);
    const next = score !== null && side && lowers(score, side) ? moved(score, side, -1) : score;
    emit('goal_cancelled', id, next);
  }
  for (const id of reinstated) {
    const side = counts.has(id) && is.sides.get(id);
    const raises = (now: Score, of: Side): boolean =>
      isOfGoals || now[of] < (after.final.score?.[of] ?? now[of]);
    const next = score !== null && side && raises(score, side) ? moved(score, side, 1) : score;
    emit('goal_reinstated', id, next);
  }
  return is.counting.filter((id) => !counted.has(id) || isForOther(id));
}

/** Returns the team that a counting goal counts for. */
function teamOf(id: string, { tally, facts }: DerivedMatch): number | undefined {
  return facts.sides[tally.sides.get(id) as Side]?.id;
}

/** Returns the side of a goal that counted before a version, as the sides are after it. */
function sideAfter(id: string, { before, after }: AcceptedVersion): Side | undefined {
  const side = before.tally.sides.get(id);
  if (!hasExchanged(before.facts.sides, after.facts.sides)) return side;
  return side === 'home' ? 'away' : 'home';
}

function moved(score: Score, side: Side, by: number): Score {
  return { ...score, [side]: score[side] + by };
}

/** `started`: the goals that began to count for their team. */
function emitScores(
  collector: TransitionCollector,
  { before, after, register }: AcceptedVersion,
  started: readonly string[],
): void {
  const [was, is] = [before.final, after.final];
  const goals = is.source === 'incidents' ? started : [];
  // Goals that replace others, or change sides, may leave the score as it was.
  if (!sameScore(was.score, is.score) || (was.source === 'incidents' && goals.length > 0))
    collector.emit('score_changed', {
      score: { before: was.score, after: is.score },
      goals: goals.flatMap((id) => keyOf(register.get(id), after) ?? []),
    });
  if (!sameScore(was.firm, is.firm))
    collector.emit('firm_score_changed', { score: { before: was.firm, after: is.firm } });
}

function emitEvent(collector: TransitionCollector, { before, after }: AcceptedVersion): void {
  const statusOf = ({ facts }: DerivedMatch) => wordsOf(facts.status_id, facts.status_type);
  const clockOf = ({ clock }: DerivedMatch) => clock && wordsOf(clock.time, clock.status);
  collector.change('status_changed', statusOf(before), statusOf(after));
  if (isClockChange(before.clock, after.clock))
    collector.emit('clock_changed', { value: { before: clockOf(before), after: clockOf(after) } });
  collector.change('bet_status_changed', before.facts.bet_status, after.facts.bet_status);
  const [was, is] = [before.facts.verified_result, after.facts.verified_result];
  collector.change('result_verified', yesNoOrNull(was), yesNoOrNull(is));
}

/** Emits the fields that no other transition reports. Fields that only advance or repeat are emitted when nothing else is. */
function emitAmended(collector: TransitionCollector, { event, incidents }: AcceptedVersion): void {
  const { fields } = event;
  const unreported = fields.filter(
    (name) => !TICKING.has(name) && !collector.hasEmitted(KIND_OF_FIELD[name]),
  );
  const isSilent = collector.emitted.length === 0 && !incidents.snapshot;
  const amended = unreported.length > 0 ? unreported : fields;
  if (unreported.length > 0 || isSilent) collector.emit('event_amended', { fields: amended.toSorted() });
}

function emitUnread(collector: TransitionCollector, { message, unread }: AcceptedVersion): void {
  const after = message.unreadable;
  if (after !== null) collector.emit('message_unread', { value: { before: null, after } });
  else if (unread.length > 0) collector.emit('message_unread', { fields: [...unread] });
}

/** Returns the known values as text, e.g. `34 live`, `2700 stopped`; null when none is known. */
function wordsOf(...values: readonly (string | number | null)[]): string | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.join(' ');
}
