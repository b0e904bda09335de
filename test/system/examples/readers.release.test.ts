import { beforeAll, describe, expect, test } from 'vitest';
import {
  eventFields,
  eventMessage,
  incident,
  incidentMessage,
  EVENT_ID as LIVE,
  participants,
} from '#domain/testing/messages.ts';
import { connectionEnv } from '../../support/environment.ts';
import type { PipelineOutput } from '../../support/pipeline.ts';
import { untilTrue } from '../../support/poll.ts';
import { restartableKafka } from '../../support/restartable-kafka.ts';
import { System, startSimulator } from '../../support/system.ts';
import { READER_EXAMPLES, ReaderProcess } from './reader-examples.ts';

const MATCHES = 6;
const SECONDS = 20;

/**
 * Results of the play of one system, which all examples read at once: `atStart` has the version of each match
 * then.
 */
const atStart = new Map<number, number>();
let output: PipelineOutput;
/** Two readers by language: one that ran from the middle of the play, and one that joined and left. */
const readersOf = new Map<string, readonly [ReaderProcess, ReaderProcess]>();

beforeAll(async () => {
  const present = READER_EXAMPLES.filter((example) => example.present);
  const { brokers, directBrokers, proxy } = await restartableKafka();
  const [system, ...commands] = await Promise.all([
    System.create({ brokers: directBrokers }),
    ...present.map((example) => example.prepare()),
  ]);
  const { registryUrl, prefix } = system.pipeline.connection;
  const start = (index: number): ReaderProcess => {
    const command = commands[index];
    if (command === undefined) throw new Error(`there is no example ${index}`);
    return new ReaderProcess(command, {
      ...connectionEnv({ brokers, registryUrl, prefix }),
      READER_GROUP: `${prefix}reader-${index}`,
    });
  };
  const all = async (what: string, holds: (index: number) => boolean): Promise<void> => {
    await Promise.all(present.map(({ name }, index) => untilTrue(`${name}: ${what}`, () => holds(index))));
  };

  const receiver = await system.startReceiver();
  const simulator = startSimulator({
    WEBHOOK_URL: receiver.url,
    SEED: '1',
    FAULTS: 'many',
    MATCHES: String(MATCHES),
    DURATION: String(SECONDS),
  });
  await untilTrue('there is something to begin with', async () => {
    return (await receiver.service.metric('touchline_webhook_messages_total')) > 300;
  });
  await system.pipeline.read('match-state', ({ event_id, version }) => atStart.set(event_id, version));
  const steady = present.map((_, index) => start(index));
  await all('the first one has caught up', (index) => steady[index]?.isCaughtUp === true);
  const joined = present.map((_, index) => start(index));
  await all('they share', (index) => {
    const pair = [steady[index], joined[index]];
    return pair.every((one) => one?.isCaughtUp) && pair.flatMap((one) => one?.assigned).length === 3;
  });
  proxy.cut();
  await Promise.all(joined.map((one) => one.stop()));
  await simulator.logged('all was played');
  // A new match of the test, because the played ones are over.
  const live = eventFields({ participants: participants(0, 0) });
  await system.pipeline.feed([{ ...eventMessage(Math.floor(Date.now() / 1000), live), event_id: LIVE }]);
  await all('the first one has all again', (index) => {
    const one = steady[index];
    return one?.assigned?.length === 3 && one.isCaughtUp && one.guards().has(LIVE);
  });
  const goal = incident('5-1', 413, { ut: Math.floor(Date.now() / 1000) });
  const scored = eventFields({ participants: participants(1, 0) });
  await system.pipeline.feed([{ ...incidentMessage(goal, { fields: scored }), event_id: LIVE }]);
  await all('the first one has read the goal', (index) =>
    Boolean(steady[index]?.lines.some((line) => line.type === 'goal' && line.event === LIVE)),
  );

  output = await system.output();
  for (const [index, { name }] of present.entries())
    readersOf.set(name, [steady[index] as ReaderProcess, joined[index] as ReaderProcess]);
});

// Tests of their guards: cases.test.ts, and test/system/belief/belief.test.ts with real feed health.
describe.each(READER_EXAMPLES)('the example reader in $name', ({ name, present }) => {
  const needs = present ? '' : ` (needs ${name}, which is not on this machine)`;
  const readers = () => readersOf.get(name) ?? expect.fail(`${name} did not run`);

  test.runIf(present)(`ends with the goals of the last states${needs}`, async () => {
    const [steady] = readers();
    const states = [...output.states.values()];
    expect(states.flatMap(({ void_goals }) => Object.keys(void_goals)).length).toBeGreaterThan(0);
    const expected = Object.fromEntries(
      states
        .flatMap(({ event_id, counting_goals, void_goals }): [string, string][] => [
          ...counting_goals.map((id): [string, string] => [`${event_id}/${id}`, 'stands']),
          ...Object.keys(void_goals).map((id): [string, string] => [`${event_id}/${id}`, 'cancelled']),
        ])
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
    // A goal that became another incident was printed as cancelled, if it was printed before.
    const found = () =>
      Object.fromEntries(
        Object.entries(steady.goals).filter(([key, status]) => status === 'stands' || key in expected),
      );
    await untilTrue(
      'all was printed',
      () => JSON.stringify(found()) === JSON.stringify(expected),
      20_000,
    ).catch(() => {});
    expect(found()).toEqual(expected);
  });

  test.runIf(present)(`never prints a cancelled goal as standing${needs}`, () => {
    const { transitions } = output;
    const isCancelled = (event: number, version: number, incident: string): boolean =>
      transitions.findLast(
        (one) =>
          one.event_id === event &&
          one.version <= version &&
          one.incident_id === incident &&
          (one.kind === 'goal_cancelled' || one.kind === 'goal_reinstated'),
      )?.kind === 'goal_cancelled';
    for (const line of readers().flatMap(({ lines }) => lines)) {
      if (line.type !== 'goal' || line.status !== 'stands') continue;
      expect([line, isCancelled(line.event, line.version, line.incident)]).toEqual([line, false]);
      // Older versions in a snapshot are not current.
      expect(line.version).toBeGreaterThanOrEqual(atStart.get(line.event) ?? 1);
    }
  });

  test.runIf(present)(`names scorer, minute and both scores${needs}`, () => {
    const { transitions, states } = output;
    const [steady, joined] = readers();
    const goals = [...steady.lines, ...joined.lines].flatMap((line) => (line.type === 'goal' ? [line] : []));
    for (const { event, version, incident, team, player, minute, status, score } of goals) {
      const key = states.get(event)?.key_incidents.find(({ id }) => id === incident);
      expect([incident, team]).toEqual([incident, key?.team_id ?? null]);
      const isAmended = transitions.some(
        (one) =>
          one.event_id === event &&
          one.incident_id === incident &&
          one.version > version &&
          one.kind.startsWith('incident_'),
      );
      // A cancellation may arrive before the state with the last body.
      if (status === 'stands' && !isAmended)
        expect([incident, player, minute]).toEqual([incident, key?.player_name, key?.minute]);
      const change = transitions.find(
        (one) => one.event_id === event && one.version === version && one.kind === 'score_changed',
      );
      if (change !== undefined) expect([incident, score]).toEqual([incident, change.score?.after]);
      if (status === 'stands') expect(score).not.toBeNull();
    }
    expect(goals.filter(({ player, minute }) => player !== null && minute !== null).length).toBeGreaterThan(
      0,
    );
    // The line of a new goal has the score before and after it.
    const [came] = steady.lines.filter((line) => line.type === 'goal' && line.event === LIVE);
    expect(came).toMatchObject({ before: { home: 0, away: 0 }, score: { home: 1, away: 0 } });
  });

  test.runIf(present)(`survives a rebalance and a cut connection without a gap${needs}`, () => {
    const [steady, joined] = readers();
    const assignments = steady.lines.flatMap((line) =>
      line.type === 'assigned' ? [line.partitions.length] : [],
    );
    expect(assignments.at(0)).toBe(3);
    expect(Math.min(...assignments)).toBeLessThan(3);
    expect(assignments.at(-1)).toBe(3);
    expect(joined.lines.flatMap((line) => (line.type === 'goal' ? line.event : [])).length).toBeGreaterThan(
      0,
    );
    expect([...steady.lines, ...joined.lines].filter(({ type }) => type === 'gap')).toEqual([]);
  });
});
