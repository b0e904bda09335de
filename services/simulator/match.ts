import type { Competition, MatchFacts } from '../../data/dataset.ts';
import { simulatedBoard } from './board.ts';
import type { ContentFault, Faults } from './faults.ts';
import { invent } from './inventions.ts';
import { disturbMessages } from './message-faults.ts';
import { planPeriods } from './periods.ts';
import { createRandom } from './random.ts';
import { createRecorder, type ProviderMessage } from './records.ts';
import { type ScriptedStep, scriptFacts } from './script.ts';

export type MatchSettings = {
  readonly seed: string;
  readonly faults: Faults;
  /** Intervals between keep-alives, and between messages of a running clock, seconds of match time; 0 for none. */
  readonly keepAliveEvery: number;
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

/** Digits of an incident's number within its match: with ids of one width, the order of ids is that of time. */
const INCIDENT_DIGITS = 4;

/** Returns all messages of a match from `kickOff`, Unix seconds; the same for the same arguments. A correction has a later `ut`. */
export function simulateMatch(
  facts: MatchFacts,
  competition: Competition,
  kickOff: number,
  matchSettings: MatchSettings,
): SimulatedMatch {
  const { seed, faults, clockEvery } = matchSettings;
  const random = (purpose: string) => createRandom(seed, facts.id, purpose);
  const periods = planPeriods(facts, random('periods'));
  const invented = invent(facts, periods, faults, random('inventions'), random('goal_cancelled_twice'));
  const clock: ScriptedStep[] = [];
  for (const { startsAt, endsAt, nominal } of periods)
    for (let at = startsAt + clockEvery; clockEvery > 0 && nominal > 0 && at < endsAt; at += clockEvery)
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
  { seed, faults, keepAliveEvery }: MatchSettings,
): { messages: ProviderMessage[]; reusedIds: number } {
  const board = simulatedBoard(facts);
  const recorder = createRecorder(facts, competition);
  const messages: ProviderMessage[] = [];
  const incidentIds = new Map<string, string>();
  const firstMessages = new Map<string, number>();
  let toReuse = createRandom(seed, facts.id, 'ids').count(faults.reused_id);
  let reusedIds = 0;
  let nextId = facts.id * 10_000;

  const add = (ut: number, type: ProviderMessage['type'], data: ProviderMessage['data'], id = ++nextId) => {
    messages.push({ id, type, source: 1, ut, data });
  };
  const idOf = (key: string): string => {
    const number = String(incidentIds.size + 1).padStart(INCIDENT_DIGITS, '0');
    const id = incidentIds.get(key) ?? `5-${facts.id}${number}`;
    incidentIds.set(key, id);
    return id;
  };
  let nextBeat = keepAliveEvery;
  const byTime = Map.groupBy(
    steps.toSorted((a, b) => a.at - b.at),
    ({ at }) => at,
  );
  for (const [at, group] of byTime) {
    if (board.isLive())
      for (; keepAliveEvery > 0 && nextBeat < at; nextBeat += keepAliveEvery)
        add(kickOff + nextBeat, 'event_keep_alive', { event: { id: facts.id } });
    const ut = kickOff + at;
    for (const { change, incident } of group) {
      if (change !== undefined) board.change(change, ut);
      if (incident !== undefined) board.apply(incident);
    }
    const event = recorder.event(board.show(ut), messages.length === 0 ? 'insert' : 'update');
    for (const { incident: scripted } of group) {
      if (scripted === undefined) continue;
      const parentId = scripted.cancels?.named ? idOf(scripted.cancels.key) : null;
      const incident = recorder.incident(scripted, { id: idOf(scripted.key), parentId }, ut);
      const first = firstMessages.get(scripted.key);
      const reuses = first !== undefined && toReuse > 0;
      if (reuses) {
        toReuse--;
        reusedIds++;
      }
      add(ut, 'incident', { incident, event }, reuses ? first : undefined);
      if (first === undefined) firstMessages.set(scripted.key, nextId);
    }
    if (group.some(({ change, incident }) => change !== undefined || incident === undefined))
      add(ut, 'event', { event });
  }
  return { messages, reusedIds };
}
