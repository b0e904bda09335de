import type { Competition, MatchFacts } from '../../data/dataset.ts';
import { SimulatedBoard } from './board.ts';
import type { ContentFault, Faults } from './faults.ts';
import { invent } from './inventions.ts';
import { disturbMessages } from './message-faults.ts';
import { planPeriods } from './periods.ts';
import { createRandom } from './random.ts';
import { createRecorder, type ProviderEvent, type ProviderMessage } from './records.ts';
import { type ScriptedIncident, type ScriptedStep, scriptFacts } from './script.ts';

export type MatchSettings = {
  readonly seed: string;
  readonly faults: Faults;
  /** Interval between keep-alives of a live match, seconds of match time; 0 for none. */
  readonly keepAliveEvery: number;
  /** Interval between messages of a running clock, seconds of match time; 0 for none. */
  readonly clockEvery: number;
  /** What a clock shows that is ahead all the time, Unix seconds; for `stamped_ahead`. Default: an hour after the message. */
  readonly aheadAt?: number;
};

export type SimulatedMatch = {
  readonly facts: MatchFacts;
  /** Messages in order of `ut`; the state at a time is the fold of the messages up to it. */
  readonly messages: readonly ProviderMessage[];
  readonly invented: Readonly<Partial<Record<ContentFault, number>>>;
};

const SOURCE = 1;
/** Digits of an incident's number within its match: with ids of one width, the order of ids is that of time. */
const INCIDENT_DIGITS = 4;

/** Returns all messages of a match from `kickOff`, Unix seconds; the same for the same arguments. A correction has a later `ut`. */
export function simulateMatch(
  facts: MatchFacts,
  competition: Competition,
  kickOff: number,
  matchSettings: MatchSettings,
): SimulatedMatch {
  const { seed, faults } = matchSettings;
  const periods = planPeriods(facts, createRandom(seed, facts.id, 'periods'));
  const invented = invent(
    facts,
    periods,
    faults,
    createRandom(seed, facts.id, 'inventions'),
    createRandom(seed, facts.id, 'goal_cancelled_twice'),
  );
  const clock: ScriptedStep[] = [];
  for (const plan of matchSettings.clockEvery > 0 ? periods.filter(({ nominal }) => nominal > 0) : [])
    for (let at = plan.startsAt + matchSettings.clockEvery; at < plan.endsAt; at += matchSettings.clockEvery)
      clock.push({ at });
  const steps = [...scriptFacts(facts, periods), ...invented.steps, ...clock];
  const written = writeMessages(facts, competition, kickOff, steps, matchSettings);
  const { messages, counts } = disturbMessages(facts.id, written.messages, matchSettings);
  const reused = written.reusedIds > 0 ? { reused_id: written.reusedIds } : {};
  return { facts, messages, invented: { ...invented.counts, ...reused, ...counts } };
}

function writeMessages(
  facts: MatchFacts,
  competition: Competition,
  kickOff: number,
  steps: readonly ScriptedStep[],
  matchSettings: MatchSettings,
): { messages: ProviderMessage[]; reusedIds: number } {
  const board = new SimulatedBoard(facts);
  const recorder = createRecorder(facts, competition);
  const messages: ProviderMessage[] = [];
  const incidentIds = new Map<string, string>();
  const firstMessage = new Map<string, number>();
  const reusedWanted = createRandom(matchSettings.seed, facts.id, 'ids').count(
    matchSettings.faults.reused_id,
  );
  let toReuse = reusedWanted;
  let nextId = facts.id * 10_000;
  let ut = 0;

  const add = (type: ProviderMessage['type'], data: ProviderMessage['data'], id = ++nextId): void => {
    messages.push({ id, type, source: SOURCE, ut, data });
  };
  const idOf = (key: string): string => {
    const known = incidentIds.get(key);
    if (known !== undefined) return known;
    const id = `5-${facts.id}${String(incidentIds.size + 1).padStart(INCIDENT_DIGITS, '0')}`;
    incidentIds.set(key, id);
    return id;
  };
  const addIncident = (scripted: ScriptedIncident, event: ProviderEvent): void => {
    const parentId = scripted.cancels?.named ? idOf(scripted.cancels.key) : null;
    const incident = recorder.incident(scripted, { id: idOf(scripted.key), parentId }, ut);
    const first = firstMessage.get(scripted.key);
    const reuse = first !== undefined && toReuse > 0;
    if (reuse) toReuse--;
    add('incident', { incident, event }, reuse ? first : undefined);
    if (first === undefined) firstMessage.set(scripted.key, nextId);
  };
  let nextBeat = matchSettings.keepAliveEvery;
  const keepAlive = (until: number): void => {
    if (matchSettings.keepAliveEvery === 0 || !board.live) return;
    for (; nextBeat < until; nextBeat += matchSettings.keepAliveEvery) {
      ut = kickOff + nextBeat;
      add('event_keep_alive', { event: { id: facts.id } });
    }
  };

  for (const group of groupedByTime(steps)) {
    const at = group[0]?.at ?? 0;
    keepAlive(at);
    // The event changes with every group; no two groups have the same time.
    ut = kickOff + at;
    for (const { change, incident } of group) {
      if (change !== undefined) board.change(change, ut);
      if (incident !== undefined) board.apply(incident);
    }
    const event = recorder.event(board.show(ut), messages.length === 0 ? 'insert' : 'update');
    for (const { incident } of group) if (incident !== undefined) addIncident(incident, event);
    if (group.some(({ change, incident }) => change !== undefined || incident === undefined))
      add('event', { event });
  }
  return { messages, reusedIds: reusedWanted - toReuse };
}

/** Returns the steps by time. Steps of one second are in one group, in the given order. */
function groupedByTime(steps: readonly ScriptedStep[]): ScriptedStep[][] {
  const byTime = Map.groupBy(
    steps.toSorted((a, b) => a.at - b.at),
    ({ at }) => at,
  );
  return [...byTime.values()];
}
