import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { partitionOfKey } from '#streams/client/port.ts';
import { findCluster } from '../../../cli/cluster.ts';
import { readMatch } from '../../../cli/commands/match/followed-match.ts';
import { type PlayedVersion, played } from '../../../cli/commands/match/testing/played.ts';
import { untilTrue } from '../../support/poll.ts';
import { TerminalRun } from '../../support/terminal.ts';
import { touchlineHere } from '../../support/touchline-here.ts';
import { TestTopics } from './topics.ts';

const VERSIONS = played();
const EVENT = '7000001';
const PARTITIONS = 4;
/** Keys of incidents have more than the event id: processors name the partition. */
const partition = partitionOfKey(EVENT, PARTITIONS);
const SHOWN = ['match-state', 'match-incidents', 'match-transitions', 'trading-halts'] as const;

const transitionsOf = (versions: readonly PlayedVersion[]) =>
  versions.flatMap(({ transitions, written }) => transitions.map((value) => ({ value, written })));

/** Writes the records of versions at their times; `states`: the versions whose state is written. */
async function write(
  topics: TestTopics,
  versions: readonly PlayedVersion[],
  states = versions,
): Promise<void> {
  await topics.write(
    'match-state',
    states.map(({ state: value, written }) => ({ key: EVENT, value, written })),
  );
  await topics.write(
    'match-transitions',
    transitionsOf(versions).map((one) => ({ key: EVENT, ...one })),
  );
  const incidents = versions.flatMap((one) =>
    one.incidents.map((value) => ({ key: `${EVENT}/${value.id}`, value, written: one.written, partition })),
  );
  if (incidents.length > 0) await topics.write('match-incidents', incidents);
}

/** Topics with all versions. */
let whole: TestTopics;
beforeAll(async () => {
  whole = await TestTopics.create(SHOWN, PARTITIONS);
  await write(whole, VERSIONS);
});

describe('touchline match', () => {
  test('shows a match with the score after each goal, and why one is void', async () => {
    const run = await touchlineHere(['match', EVENT], whole.env);
    expect(run).toMatchObject({ code: 0, err: '' });
    expect(run.out).toContain('Home - Away  2–0  firm 2–0');
    expect(run.out).toMatch(/ 18' {4}1–0 {2}Goal {14}Home {2}Kane {4}5-010\n/);
    expect(run.out).toContain('cancelled by a “goal cancelled” incident. It is 5-021.');
    expect(run.out).toMatch(/Reported, awaiting confirmation {2}0–0 → 1–0 {2}27 s late, written /);
    // Without feed health no match is safe.
    expect(run.out).toContain('trading halted: feed health unknown\n');
    const { out } = await touchlineHere(['match', EVENT, '--json'], whole.env);
    expect(JSON.parse(out)).toMatchObject({
      state: { version: 7 },
      trading: { permission: 'halted' },
      story: expect.arrayContaining([expect.objectContaining({ id: '5-010', running_score: '1–0' })]),
    });
  });

  test.each([
    ['its state went back, and the log has both', VERSIONS, '2–0'],
    ['its state was lost, and the incidents were not', [], '?–?'],
  ])('halts a match when %s', async (_, held, score) => {
    const topics = await TestTopics.create(SHOWN, PARTITIONS);
    await write(topics, VERSIONS, held);
    const first = VERSIONS[0]?.state;
    if (first === undefined) throw new Error('nothing was played');
    const cause = { ...first.cause, offset: 1_000 };
    await topics.write('match-state', [{ key: EVENT, value: { ...first, cause } }]);
    const { out } = await touchlineHere(['match', EVENT], topics.env);
    expect(out).toContain(`Home - Away  ${score}`);
    expect(out).toContain('its version went back: state was lost, feed health unknown\n');
  });

  test('redraws one page on a terminal with each change, however narrow the terminal is', async () => {
    const topics = await TestTopics.create(SHOWN, PARTITIONS);
    await write(topics, VERSIONS.slice(0, 2));
    const run = new TerminalRun(['match', EVENT, '--follow'], topics.env, { columns: 110, rows: 30 });
    await run.shows(/^Home - Away {2}0–0 {2}firm 0–0/);
    await run.shows(/^trading halted: feed health unknown$/);
    const changes: readonly (readonly [upTo: number, shows: RegExp])[] = [
      [3, /^ +18' +1–0 +Goal +Home +Kane/],
      [4, /Confirmed {2}firm 0–0 → 1–0 /],
      [6, /Cancelled by a “goal cancelled” incident {2}1–1 → 1–0 /],
    ];
    let from = 2;
    for (const [upTo, shows] of changes) {
      await write(topics, VERSIONS.slice(from, upTo));
      await run.shows(shows);
      from = upTo;
    }
    await run.shows(/^event 7000001, version 6, last changed/);
    // A change that is newer than the state: the state is outdated.
    const [last] = VERSIONS.slice(-1);
    await topics.write('match-transitions', [{ key: EVENT, value: last?.transitions[0] ?? null }]);
    await run.shows(/^trading halted: behind, feed health unknown$/);
    await topics.write('match-state', [{ key: EVENT, value: last?.state ?? null }]);
    await run.shows(/^trading halted: feed health unknown$/);
    for (const columns of [50, 110]) {
      await run.resize(columns);
      await run.shows(columns === 50 ? /^Home - Away {2}2–0 {2}firm 2–0/ : /→ 1–0 /);
      expect(run.lines.filter((line) => line.startsWith('Home - Away'))).toHaveLength(1);
      expect(run.lines.filter((line) => line.length > columns)).toEqual([]);
    }
    run.interrupt();
    expect(await run.ended).toBe(0);
    // Its cursor is back.
    expect(run.raw.trimEnd().endsWith('\u001b[?25h')).toBe(true);
  });
});

test('has each change of a match once that is written while it is read, wherever other partitions end', async () => {
  const topics = await TestTopics.create(SHOWN, PARTITIONS);
  await write(topics, VERSIONS.slice(0, 2));
  // Records of another match, in a partition that is read before this one.
  expect(partition).not.toBe(0);
  const value = transitionsOf(VERSIONS)[0]?.value ?? null;
  await topics.write('match-transitions', Array(100).fill({ key: '1', value, partition: 0 }));
  const match = await readMatch(findCluster(topics.env), Number(EVENT));
  if (match === null) throw new Error('it is unknown');
  await write(topics, VERSIONS.slice(2, 3));
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const read = Promise.withResolvers<void>();
  const following = match.follow(stop.signal, read.resolve);
  await read.promise;
  const wholeUpTo = (version: number) =>
    transitionsOf(VERSIONS.slice(0, version)).map((transition) => transition.value);
  expect(match.facts.transitions).toEqual(wholeUpTo(3));
  await write(topics, VERSIONS.slice(3, 4));
  await untilTrue('version 4 is read', () => match.facts.transitions.some(({ version }) => version === 4));
  await untilTrue('its state is read', () => match.state.version === 4);
  stop.abort();
  await following;
  expect(match.facts.transitions).toEqual(wholeUpTo(4));
});
