import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type {
  Incident,
  MatchIncident,
  MatchState,
  MatchTransition,
  NormalizedMessage,
} from '#records/types.ts';
import { avroType, loadSchemas } from '#topics/codec.ts';
import { rounds } from '../../test/support/rounds.ts';
import { applyMessage, type Match, matchIncident, matchState, newMatch, restoreMatch } from './match.ts';
import { hasContent, histories, redelivered } from './testing/arbitraries.ts';
import { causeOf, EVENT_ID } from './testing/messages.ts';
import { derive } from './testing/oracle.ts';

/** Returns a state without version and cause. */
function withoutOrder<T extends MatchState | MatchIncident>({ version: _, cause: __, ...rest }: T) {
  return rest;
}

function play(match: Match, messages: readonly NormalizedMessage[], from = 0) {
  return messages.map((message, i) => applyMessage(match, message, causeOf(message, from + i)));
}

function idsOf(messages: readonly NormalizedMessage[]): string[] {
  const ids = messages.flatMap(({ incident, snapshot, deleted }) => [
    ...(incident === null ? [] : [incident.incident.id]),
    ...[...(snapshot ?? []), ...deleted].map(({ id }) => id),
  ]);
  return [...new Set(ids)].sort();
}

const schemas = loadSchemas().topics;
const stateType = avroType(schemas.get('match-state') ?? fail('match-state'));
const incidentType = avroType(schemas.get('match-incidents') ?? fail('match-incidents'));

function fail(topic: string): never {
  throw new Error(`no schema of ${topic}`);
}

/** Returns the records of a match: the bytes of its state and of its incidents. */
function written(match: Match, ids: readonly string[]): { state: Buffer; incidents: Buffer[] } {
  return {
    state: stateType.toBuffer(matchState(match)),
    incidents: ids.map((id) => incidentType.toBuffer(matchIncident(match, id))),
  };
}

/** Restores a match from its records. */
function readBack(match: Match, ids: readonly string[]): Match {
  const { state, incidents } = written(match, ids);
  const known = incidents.map((incident) => incidentType.fromBuffer(incident));
  return restoreMatch(stateType.fromBuffer(state), known);
}

/** Returns the messages with every incident changed, but not its body, so that the same records win. */
function changed(
  history: readonly NormalizedMessage[],
  change: (incident: Incident) => Partial<Omit<Incident, 'body'>>,
): NormalizedMessage[] {
  const one = (incident: Incident): Incident => ({ ...incident, ...change(incident) });
  return history.map((message) => ({
    ...message,
    incident: message.incident && { ...message.incident, incident: one(message.incident.incident) },
    snapshot: message.snapshot?.map(one) ?? null,
    deleted: message.deleted.map(one),
  }));
}

function stateOf(messages: readonly NormalizedMessage[]): MatchState {
  const match = newMatch(EVENT_ID);
  play(match, messages);
  return matchState(match);
}

/** What a state says of its goals: the team that each counts for, which are void, and the score. */
function standingOf(state: MatchState | null) {
  const teams = new Map(state?.key_incidents.map(({ id, counts_for_id }) => [id, counts_for_id]));
  return {
    teams: new Map(state?.counting_goals.map((id) => [id, teams.get(id) ?? null])),
    voided: Object.keys(state?.void_goals ?? {}).sort(),
    source: state?.source ?? 'none',
    score: state?.score ?? null,
    sides: [state?.home?.id ?? null, state?.away?.id ?? null],
    isSoccer: [5, null, undefined].includes(state?.sport_id),
  };
}

const UNCHANGED = { transitions: [], incidents: [], result: false, inPlay: false };
const withDuplicates = histories.chain((history) => fc.tuple(fc.constant(history), redelivered(history)));
/** `HISTORIES=1000000 npx vitest run --project unit libs/domain/laws.test.ts -t oracle` plays more. */
const runs = { numRuns: Number(process.env.HISTORIES ?? rounds(500)) };

/** Checks what must hold of every history. */
function forHistories(check: (history: readonly NormalizedMessage[]) => void): void {
  fc.assert(fc.property(histories, check), runs);
}

/** Plays a history, and yields the transitions of each message that has some. */
function* transitionsOf(match: Match, history: readonly NormalizedMessage[]) {
  for (const message of history) {
    const transitions = play(match, [message]).flatMap((applied) => applied.transitions);
    if (transitions.length > 0) yield transitions;
  }
}

// These tests play some ten thousand matches, on a machine that may be busy.
vi.setConfig({ testTimeout: process.env.HISTORIES === undefined ? 120_000 : 0 });

describe('match state is a function of the set of messages', () => {
  test('equals the oracle in any order, with any duplicates', () => {
    fc.assert(
      fc.property(withDuplicates, ([history, order]) => {
        const match = newMatch(EVENT_ID);
        play(match, order);
        const expected = derive(EVENT_ID, history);
        expect(withoutOrder(matchState(match))).toStrictEqual(expected.state);
        const incidents = idsOf(history).map((id) => withoutOrder(matchIncident(match, id)));
        expect(incidents).toStrictEqual(expected.incidents);
      }),
      runs,
    );
  });

  test('ignores duplicates', () => {
    fc.assert(
      fc.property(withDuplicates, ([history, order]) => {
        const match = newMatch(EVENT_ID);
        for (const message of history) {
          play(match, [message]);
          expect(play(match, [message])).toEqual([UNCHANGED]);
        }
        const before = written(match, idsOf(history));
        for (const applied of play(match, order)) expect(applied).toEqual(UNCHANGED);
        expect(written(match, idsOf(history))).toEqual(before);
      }),
      runs,
    );
  });
});

describe('snapshots of one time (law 3)', () => {
  test('list every incident that one of them lists', () => {
    fc.assert(
      fc.property(histories, fc.infiniteStream(fc.boolean()), (history, first) => {
        const split = history.flatMap((message) => {
          if (message.snapshot === null) return [message];
          const parts = Map.groupBy(message.snapshot, () => first.next().value === true);
          return [true, false].map((part) => ({ ...message, snapshot: parts.get(part) ?? [] }));
        });
        expect(withoutOrder(stateOf(split))).toStrictEqual(withoutOrder(stateOf(history)));
      }),
      runs,
    );
  });
});

describe('cancellations without a parent (law 6)', () => {
  test('name the same goals whether all times are unknown, or all decisions more than a minute apart', () => {
    forHistories((history) => {
      const decisions = idsOf(history);
      const goalsOf = (time: (incident: Incident) => number | null) => {
        const timed = changed(history, (incident) => ({ event_time: time(incident) }));
        const { counting_goals, void_goals, orphans } = stateOf(timed);
        return { counting_goals, void_goals, orphans };
      };
      // Of all records of an incident the same: where nothing else orders two of them, their texts do.
      const apart = ({ id }: Incident) => 600 + 61 * decisions.indexOf(id);
      expect(goalsOf(() => null)).toEqual(goalsOf(apart));
    });
  });

  test('void only goals before them of their own part, play or shoot-out', () => {
    forHistories((history) => {
      const match = newMatch(EVENT_ID);
      play(
        match,
        changed(history, () => ({ parent_id: null })),
      );
      const standing = idsOf(history).flatMap((id) => {
        const { incident, removed } = matchIncident(match, id);
        return incident?.incident_id === 424 && !removed ? [incident] : [];
      });
      const inShootOut = (incident: Incident | null) =>
        [13, 16, 141, 142].includes(incident?.event_status_id ?? 0);
      for (const [id, why] of Object.entries(matchState(match).void_goals)) {
        if (why !== 'goal_cancelled') continue;
        const part = inShootOut(matchIncident(match, id).incident);
        expect(standing.filter((one) => one.id > id).map(inShootOut)).toContain(part);
      }
    });
  });
});

describe('the reported result (law 8)', () => {
  test('is also the firm score, and wins over a complete timeline of soccer only at the end', () => {
    forHistories((history) => {
      const { source, score, firm, reported, agreement, ...state } = stateOf(history);
      const derived = source === 'incidents';
      if (!derived) expect({ score, firm }).toEqual({ score: reported, firm: reported });
      expect(source === 'none').toBe(score === null);
      expect(agreement === 'unknown').toBe(score === null || reported === null);
      if (reported === null) return;
      const hasSides = state.home !== null && state.away !== null;
      const isTimelineKnown = hasSides && state.coverage === 'complete' && [5, null].includes(state.sport_id);
      const isFinished =
        state.status_type === 'finished' || [7, 11, 12, 13, 14, 140].includes(state.status_id ?? 0);
      expect(derived).toBe(isTimelineKnown && !isFinished);
      const isSame = JSON.stringify(state.derived) === JSON.stringify(reported);
      expect(agreement).toBe(isTimelineKnown && !isSame ? 'differs' : 'agrees');
    });
  });
});

describe('a match that is restored from its records', () => {
  test('gives the same bytes as one that was never restored', () => {
    fc.assert(
      fc.property(histories, fc.infiniteStream(fc.boolean()), (history, stops) => {
        const steady = newMatch(EVENT_ID);
        let stopping = newMatch(EVENT_ID);
        history.forEach((message, offset) => {
          const expected = play(steady, [message], offset);
          expect(JSON.stringify(play(stopping, [message], offset))).toBe(JSON.stringify(expected));
          if (!history.slice(0, offset + 1).some(hasContent)) return;
          const known = idsOf(history.slice(0, offset + 1));
          expect(written(stopping, known)).toEqual(written(steady, known));
          if (stops.next().value) stopping = readBack(stopping, known);
        });
      }),
      runs,
    );
  });
});

describe('transitions', () => {
  test('number versions, and transitions within a version, without gaps', () => {
    forHistories((history) => {
      const match = newMatch(EVENT_ID);
      let version = 0;
      for (const { transitions, incidents } of play(match, history)) {
        if (transitions.length === 0) {
          expect(incidents).toEqual([]);
          continue;
        }
        version += 1;
        transitions.forEach((transition, n) => {
          expect(transition).toMatchObject({ id: `${EVENT_ID}:${version}:${n}`, version, n });
        });
      }
      expect(matchState(match).version).toBe(version);
    });
  });

  test('give the scores, the guard and the removed incidents when replayed', () => {
    forHistories((history) => {
      const match = newMatch(EVENT_ID);
      const transitions = play(match, history).flatMap((applied) => applied.transitions);
      const last = (kind: string): MatchTransition | undefined =>
        transitions.findLast((one) => one.kind === kind);
      const state = matchState(match);
      expect(last('score_changed')?.score?.after ?? null).toEqual(state.score);
      expect(last('firm_score_changed')?.score?.after ?? null).toEqual(state.firm);
      expect(last('guard_changed')?.match.guard ?? { safe: true, reasons: [] }).toEqual(state.guard);
      const { over, score_before, firm_before, guard_before, ...now } = transitions.at(-1)?.match ?? {};
      expect(state).toMatchObject(now);
      const removed = new Set<string>();
      for (const { kind, incident_id } of transitions) {
        if (kind === 'incident_removed') removed.add(incident_id ?? '');
        if (kind === 'incident_reinstated') removed.delete(incident_id ?? '');
      }
      expect([...removed].sort()).toEqual(state.removed);
    });
  });

  test('name the goals that began to count for a team, and those that stopped', () => {
    forHistories((history) => {
      const match = newMatch(EVENT_ID);
      let before = standingOf(null);
      for (const transitions of transitionsOf(match, history)) {
        const after = standingOf(matchState(match));
        const emitted = (kind: string) => transitions.filter((one) => one.kind === kind);
        const isForOther = (id: string) =>
          ![undefined, null, after.teams.get(id)].includes(before.teams.get(id)) &&
          after.teams.get(id) !== null;
        const news = [...after.teams.keys()].filter((id) => !before.teams.has(id) || isForOther(id));
        const goals = after.source === 'incidents' ? news : [];
        for (const { kind, goals: named } of transitions)
          expect(named.map((goal) => [goal.id, goal.counts_for_id])).toEqual(
            kind === 'score_changed' ? goals.map((id) => [id, after.teams.get(id)]) : [],
          );
        if (goals.length > 0 && before.source === 'incidents')
          expect(emitted('score_changed')).toHaveLength(1);
        const stopped = [...before.teams.keys()].filter((id) => !after.teams.has(id) || isForOther(id));
        const voided = after.voided.filter((id) => !before.voided.includes(id));
        const ended = [...new Set([...stopped, ...voided])].sort();
        expect(emitted('goal_cancelled').map((one) => one.incident_id)).toEqual(ended);
        const isGoal = (id: string) =>
          after.isSoccer && [413, 421, 423].includes(matchIncident(match, id).incident?.incident_id ?? 0);
        const valid = before.voided.filter((id) => !after.voided.includes(id) && isGoal(id));
        expect(emitted('goal_reinstated').map((one) => one.incident_id)).toEqual(valid);
        before = after;
      }
    });
  });

  test('lead from one score of the goals to the next, a goal at a time', () => {
    forHistories((history) => {
      const match = newMatch(EVENT_ID);
      let before = standingOf(null);
      for (const transitions of transitionsOf(match, history)) {
        const [was, is] = [before, standingOf(matchState(match))];
        before = is;
        const areKnown = !was.sides.includes(null) && was.sides[0] !== was.sides[1];
        const isExchange = areKnown && String(was.sides) === String(is.sides.toReversed());
        expect(transitions.some(({ kind }) => kind === 'sides_exchanged')).toBe(isExchange);
        const isOfGoals = was.source === 'incidents' && is.source === 'incidents';
        if (!isOfGoals || !areKnown || !(isExchange || String(was.sides) === String(is.sides))) continue;
        let [base, score] = [was.score, was.score];
        for (const { kind, score: change, goals } of transitions) {
          if (['sides_exchanged', 'goal_cancelled', 'goal_reinstated'].includes(kind)) {
            expect(change?.before).toEqual(score);
            score = change?.after ?? null;
            if (kind !== 'goal_reinstated') base = score;
          }
          if (kind !== 'score_changed' || base === null) continue;
          expect(change?.before).toEqual(was.score);
          const countOf = (team: number | null) => goals.filter(({ id }) => is.teams.get(id) === team).length;
          const [home, away] = is.sides.map(countOf);
          base = { home: base.home + (home ?? 0), away: base.away + (away ?? 0) };
        }
        expect(base).toEqual(is.score);
      }
    });
  });

  test('come with the ids of exactly the incidents whose record changed', () => {
    forHistories((history) => {
      const match = newMatch(EVENT_ID);
      let known: string[] = [];
      history.forEach((message, offset) => {
        const before = new Map(known.map((id) => [id, JSON.stringify(matchIncident(match, id))]));
        const [applied] = play(match, [message], offset);
        known = idsOf(history.slice(0, offset + 1));
        const changed = known.filter((id) => JSON.stringify(matchIncident(match, id)) !== before.get(id));
        expect(applied?.incidents).toEqual(changed);
      });
    });
  });
});
