import { defineError } from '#errors/touchline-error.ts';
import type {
  Cause,
  Incident,
  MatchIncident,
  MatchState,
  MatchTransition,
  NormalizedMessage,
} from '#records/types.ts';
import { absenceAfter } from './absence.ts';
import { kickOffOf } from './event.ts';
import { deriveFacts, readEventFacts } from './event-facts.ts';
import { EventRegister } from './event-register.ts';
import { concernsGoals, isCard } from './goals.ts';
import { IncidentIndex } from './incident-index.ts';
import { concerns, IncidentRegister, NO_CHANGES } from './incident-register.ts';
import { keyIncidents } from './key-incidents.ts';
import { type TableResult, tableResult } from './match-result.ts';
import { positionOf } from './message-key.ts';
import { hasRulesOfGoals } from './sports/goal-rules.ts';
import { transitionsOf } from './transitions.ts';
import { UnreadRegister } from './unread.ts';
import { type DerivedMatch, derivedScore, deriveView, type Registers, settleList } from './view.ts';

/** Thrown by the domain, always before it changes anything. */
export class DomainError extends defineError('DomainError') {}

const internals = Symbol('internals');

/** A match in memory. Only `applyMessage` changes it; the functions of this file read it. */
export type Match = { readonly eventId: number; readonly [internals]: MatchInternals };

type MatchInternals = Registers & {
  view: DerivedMatch;
  version: number;
  /** Cause of the current version; null before the first. */
  cause: Cause | null;
};

/** The effect of a message. Both lists are empty when the message was not accepted: there is nothing to write. */
export type AppliedMessage = {
  /** In order; at least one if anything changed. */
  readonly transitions: readonly MatchTransition[];
  /** Ids, in order, of the incidents whose `matchIncident` changed. */
  readonly incidents: readonly string[];
  /** Whether an input of `matchResult` changed. */
  readonly result: boolean;
  readonly inPlay: boolean;
};

const NO_EFFECT: AppliedMessage = { transitions: [], incidents: [], result: false, inPlay: false };

/** Returns a match to which no message was applied. */
export function newMatch(eventId: number): Match {
  return matchOf(eventId, {
    event: new EventRegister(),
    incidents: new IncidentRegister(),
    unread: new UnreadRegister(),
    absence: null,
  });
}

/** Applies a message (laws 1 to 10); ignores keep-alives and line-ups. Throws `DomainError` WRONG_EVENT, before any change. */
export function applyMessage(match: Match, message: NormalizedMessage, cause: Cause): AppliedMessage {
  if (message.type === 'event_keep_alive' || message.type === 'events_lineups') return NO_EFFECT;
  if (message.event_id !== match.eventId) {
    throw new DomainError('WRONG_EVENT', `a message of event ${message.event_id} for event ${match.eventId}`);
  }
  const { event, incidents, unread, view: before } = match[internals];
  const fieldChanges = event.apply(message.event, positionOf(message));
  const unreadChanges = unread.apply(message);
  const reported =
    message.snapshot !== null
      ? incidents.snapshot(message.snapshot, message.deleted, message.ut)
      : message.incident !== null
        ? incidents.record(message.incident.incident, message.incident.deleted)
        : NO_CHANGES;
  const absence = absenceAfter(before.absence, message, event);
  const isAbsenceNew = absence !== before.absence;
  const isNews = fieldChanges.changed || isAbsenceNew || reported.snapshot || reported.incidents.length > 0;
  if (!isNews && !unreadChanges.changed) return NO_EFFECT;

  match[internals].absence = absence;
  const facts = deriveFacts(event, before.facts, fieldChanges.fields);
  const changes = settleList(match[internals], facts, reported);
  const after = deriveView(match[internals], facts, before, concerns(changes, concernsGoals));
  const version = match[internals].version + 1;
  match[internals].view = after;
  match[internals].version = version;
  match[internals].cause = cause;
  incidents.stamp(changes, version, cause);
  const { eventId } = match;
  return {
    transitions: transitionsOf({
      eventId,
      version,
      cause,
      message,
      before,
      after,
      event: fieldChanges,
      register: incidents,
      incidents: changes,
      unread: unreadChanges.newPaths,
    }),
    incidents: changes.incidents.map(({ entry }) => entry.id),
    result: concerns(changes, isCard) || RESULT_PARTS.some((part) => before[part] !== after[part]),
    inPlay: facts.status_type === 'live',
  };
}

/** What `matchResult` reads of a view, apart from the cards. */
const RESULT_PARTS = ['facts', 'tally', 'coverage', 'final'] as const;

/** Returns the most incidents that a match may have after a message, and the most goals, cancellations and cards of them. */
export function countAfter(
  match: Match,
  { incident, snapshot, deleted }: Pick<NormalizedMessage, 'incident' | 'snapshot' | 'deleted'>,
): { readonly incidents: number; readonly decisive: number } {
  const { incidents, index } = match[internals];
  const reported = incident === null ? [...(snapshot ?? []), ...deleted] : [incident.incident];
  const added = new Set<string>();
  const decisive = new Set<string>();
  for (const record of reported) {
    const known = incidents.get(record.id);
    if (known === undefined) added.add(record.id);
    if (isDecisive(record) && !(known?.incident && isDecisive(known.incident))) decisive.add(record.id);
  }
  const { goals, cancellations, cards } = index;
  return {
    incidents: incidents.size + added.size,
    decisive: goals.length + cancellations.length + cards.length + decisive.size,
  };
}

function isDecisive(incident: Incident): boolean {
  return concernsGoals(incident) || isCard(incident);
}

/** Returns the match-state record of a match. Throws `DomainError` NOTHING_REPORTED before the first accepted message. */
export function matchState(match: Match): MatchState {
  const { event, incidents, index, unread, view } = match[internals];
  const { version, cause } = stampOf(match);
  const { tally, final } = view;
  const { sides, lengths: _, round_id: __, ...facts } = view.facts;
  return {
    ...facts,
    event_id: match.eventId,
    version,
    kick_off: kickOffOf(facts.start_date),
    clock: view.clock,
    home: sides.home,
    away: sides.away,
    score: final.score,
    firm: final.firm,
    shoot_out: view.shootOut,
    source: final.source,
    coverage: view.coverage,
    reported: sides.reported,
    agreement: final.agreement,
    under_review: tally.underReview,
    counting_goals: [...tally.counting],
    void_goals: Object.fromEntries(tally.voided),
    orphans: [...tally.orphans],
    removed: index.removed.map(({ id }) => id),
    anomalies: [...tally.anomalies, ...(view.wentBack ? ['status_went_back'] : [])],
    guard: view.guard,
    snapshot_at: incidents.snapshotAt,
    reports: event.reports(),
    cause,
    key_incidents: hasRulesOfGoals(facts.sport_id) ? keyIncidents(index, view) : [],
    derived: derivedScore(view),
    missing: index.missing.map(({ id }) => id),
    void_by: Object.fromEntries(Array.from(tally.voidBy, ([goal, by]) => [goal, [...by]])),
    unread: unread.fields(),
    unread_at: unread.messageAt,
    ...event.course,
    absence: view.absence,
  };
}

/** Returns the result of a match for tables; null when it belongs to no table. */
export function matchResult(match: Match): TableResult | null {
  const { index, view } = match[internals];
  return tableResult(match.eventId, view, index);
}

/** Returns the version of a match and its cause. Throws `DomainError` NOTHING_REPORTED before the first accepted message. */
export function stampOf(match: Match): { readonly version: number; readonly cause: Cause } {
  const { version, cause } = match[internals];
  if (cause === null)
    throw new DomainError('NOTHING_REPORTED', `no message of event ${match.eventId} was applied`);
  return { version, cause };
}

/** Returns the match-incidents record of an incident. Throws `DomainError` UNKNOWN_INCIDENT. */
export function matchIncident(match: Match, id: string): MatchIncident {
  const entry = match[internals].incidents.get(id);
  if (entry === undefined || entry.cause === null) {
    throw new DomainError('UNKNOWN_INCIDENT', `event ${match.eventId} has no incident ${id}`);
  }
  return { ...entry, event_id: match.eventId, cause: entry.cause };
}

/** Restores a match from its state and all its incidents; it then produces the same bytes as one that stayed in memory. */
export function restoreMatch(state: MatchState, incidents: Iterable<MatchIncident>): Match {
  const match = matchOf(state.event_id, {
    event: EventRegister.restore(state.reports, state),
    incidents: IncidentRegister.restore(incidents, state.snapshot_at),
    unread: UnreadRegister.restore(state),
    absence: state.absence,
  });
  match[internals].version = state.version;
  match[internals].cause = state.cause;
  return match;
}

function matchOf(eventId: number, known: Omit<Registers, 'index'>): Match {
  const registers: Registers = { ...known, index: new IncidentIndex(known.incidents.entries()) };
  return {
    eventId,
    [internals]: {
      ...registers,
      view: deriveView(registers, readEventFacts(known.event)),
      version: 0,
      cause: null,
    },
  };
}
