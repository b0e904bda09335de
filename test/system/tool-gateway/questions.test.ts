/**
 * Asks thirty questions about a tournament in play with the protocol's own client, and checks answers, calls and
 * tokens.
 */
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { poll } from '#timing/poll.ts';
import type { MatchFacts } from '../../../data/dataset.ts';
import { parseFaults } from '../../../services/simulator/faults.ts';
import { simulateMatch } from '../../../services/simulator/match.ts';
import type { ProviderMessage } from '../../../services/simulator/records.ts';
import { TOOLS } from '../../../services/tool-gateway/mcp/tools.ts';
import { DEADLINE_MS } from '../../support/poll.ts';
import { DATASET } from '../../support/system.ts';
import { Assistant, type ChangesAnswer } from './assistant.ts';
import { afterReview, afterwards } from './later-questions.ts';
import { Playing } from './playing.ts';
import { FINAL, type Question, THIRD_PLACE, whileUnderReview } from './questions.ts';
import { goalReports, reportTimes, TournamentTruth, takenBack } from './truth.ts';

/**
 * Seed with goals that are cancelled in every way, and reviews that change nothing; none of them in the last two
 * matches.
 */
const SEED = 'i';
const FAULTS = parseFaults(
  'none,rejected=0.03,cancelled=0.03,deleted=0.03,goal_cancelled=0.03,goal_cancelled_child=0.03,every_way=0.03,review=0.1',
);
/** Played seconds of the match for the third place during the first part. */
const THIRD_PLACE_SECONDS = 1_500;
/** Time in which each later part of a match is reported, seconds. */
const PART_SECONDS = 120;
/**
 * Number of goals of the final before each part: the last one of the first part is under review, that of the second is
 * confirmed.
 */
const FINAL_GOALS = { underReview: 4, later: 5 };

/** Length of an incident id's prefix with its match: `5-310064`. */
const MATCH_OF_ID = 8;

/** Maximum median cost of a question. */
const MEDIAN = { calls: 2, tokens: 2_000 };

const INSPECTOR = join(import.meta.dirname, '../../../node_modules/.bin/inspector');

/** Polling with few requests: a token has 120 a minute. */
const POLLING = { timeoutMs: DEADLINE_MS, everyMs: 2_000 };
/** Longer than the polling, whose failure says what is missing. */
const SHOWN_TIMEOUT_MS = DEADLINE_MS + 60_000;

const truth = new TournamentTruth(DATASET);
const [final, thirdPlace] = [truth.match(FINAL), truth.match(THIRD_PLACE)];
const finished = DATASET.matches.filter((facts) => facts !== final && facts !== thirdPlace);
const before = finished.flatMap((facts) => played(facts, Date.parse(facts.date) / 1_000));

function played(facts: MatchFacts, kickOff: number, clockEvery = 0): readonly ProviderMessage[] {
  return simulateMatch(facts, DATASET.competition, kickOff, {
    seed: SEED,
    faults: FAULTS,
    keepAliveEvery: 0,
    clockEvery,
  }).messages;
}

/** Returns the messages of a match in these seconds after its kick-off. */
function between(facts: MatchFacts, kickOff: number, from: number, to: number): readonly ProviderMessage[] {
  return played(facts, kickOff, 60).filter(({ ut }) => ut > kickOff + from && ut <= kickOff + to);
}

/**
 * Returns the messages of such a part as reported within `PART_SECONDS`, from `begins` on (Unix seconds): no time of a
 * provider is believed that is far ahead of the receipt.
 */
function hastened(messages: readonly ProviderMessage[], begins: number): readonly ProviderMessage[] {
  const first = messages[0]?.ut ?? 0;
  const length = (messages.at(-1)?.ut ?? 0) - first + 1;
  return messages.map((message) => {
    const ut = begins + Math.floor(((message.ut - first) * PART_SECONDS) / length);
    const { incident } = message.data;
    return { ...message, ut, data: { ...message.data, ...(incident && { incident: { ...incident, ut } }) } };
  });
}

/** Played seconds of the final in each part: 20 after the report of the goal, 90 after its confirmation. */
const goalTimes = reportTimes(played(final, 0));
const FINAL_SECONDS = {
  underReview: (goalTimes[FINAL_GOALS.underReview - 1]?.first ?? 0) + 20,
  later: (goalTimes[FINAL_GOALS.later - 1]?.last ?? 0) + 90,
};

const asked: { readonly question: string; readonly calls: number; readonly tokens: number }[] = [];
let playing: Playing;
let kickOffs: { readonly final: number; readonly thirdPlace: number };
/** Time of the first message after the review, Unix seconds. */
let reviewedAt: number;
/** Time of the assistant's last request for changes. */
let checkedAt = '';

/** Asks a question, checks the answer, and records the cost. */
async function ask({ asks, answer, truth: right }: Question): Promise<void> {
  const assistant = new Assistant(playing.client);
  expect(await answer(assistant), asks).toEqual(right);
  asked.push({ question: asks, calls: assistant.calls, tokens: assistant.tokens });
}

beforeAll(async () => {
  playing = await Playing.create();
  await playing.publish(before);
  const now = Math.floor(Date.now() / 1_000);
  kickOffs = { final: now - FINAL_SECONDS.underReview, thirdPlace: now - THIRD_PLACE_SECONDS };
  await playing.publish([
    ...between(final, kickOffs.final, Number.NEGATIVE_INFINITY, FINAL_SECONDS.underReview),
    ...between(thirdPlace, kickOffs.thirdPlace, Number.NEGATIVE_INFINITY, THIRD_PLACE_SECONDS),
  ]);
  playing.keepAlive([final.id, thirdPlace.id]);
  const ready = await poll(async () => {
    const assistant = new Assistant(playing.watcher);
    const { matches } = await assistant.ask('live_board');
    const rows = await assistant.group('H').catch(() => []);
    return (
      matches.length === 2 &&
      matches.every(({ feed }) => feed.alive) &&
      rows.length === 4 &&
      rows.every(({ values }) => Number(values.mp) === 3)
    );
  }, POLLING);
  expect(ready, 'both matches are alive and the groups are complete').toBe(true);
}, 300_000);

describe('with a goal of the final under review', () => {
  const disallowed = finished.flatMap((facts) => takenBack(played(facts, 0)));
  const ways = new Set(disallowed.map(({ by }) => by.replace(/\S*\d+/, '')));
  const questions = whileUnderReview({
    truth,
    final: {
      score: truth.scoreAfter(final, FINAL_GOALS.underReview),
      firm: truth.scoreAfter(final, FINAL_GOALS.underReview - 1),
    },
    thirdPlace: { score: truth.scoreAfter(thirdPlace, 1), minute: THIRD_PLACE_SECONDS / 60 + 1 },
    takenBack: disallowed,
  });
  test('goals are cancelled by the provider and by incidents', () => expect(ways.size).toBe(3));

  test.each(questions)('$who: $asks', ask);
});

describe('after the review', () => {
  beforeAll(async () => {
    const { checked_at } = await new Assistant(playing.client).ask('list_changes', { limit: 1 });
    checkedAt = checked_at;
    const { underReview, later } = FINAL_SECONDS;
    reviewedAt = Math.ceil(Date.now() / 1_000);
    await playing.publish([
      ...hastened(between(final, kickOffs.final, underReview, later), reviewedAt),
      ...hastened(
        between(thirdPlace, kickOffs.thirdPlace, THIRD_PLACE_SECONDS, Number.POSITIVE_INFINITY),
        reviewedAt,
      ),
    ]);
    await untilShown(1, lastReports);
  }, SHOWN_TIMEOUT_MS);

  const reports = goalReports([
    ...between(final, 0, FINAL_SECONDS.underReview, FINAL_SECONDS.later),
    ...between(thirdPlace, 0, THIRD_PLACE_SECONDS, Number.POSITIVE_INFINITY),
  ]);
  const lastReports = [
    ...new Map(reports.map((report) => [report.id.slice(0, MATCH_OF_ID), report])).values(),
  ];
  test.each(
    afterReview(truth, reports, {
      since: () => checkedAt,
      score: truth.scoreAfter(final, FINAL_GOALS.later),
    }),
  )('$who: $asks', ask);
});

describe('after the final', () => {
  beforeAll(async () => {
    const rest = between(final, kickOffs.final, FINAL_SECONDS.later, Number.POSITIVE_INFINITY);
    await playing.publish(hastened(rest, reviewedAt + PART_SECONDS));
    await untilShown(0, goalReports(played(final, 0)).slice(-1));
  }, SHOWN_TIMEOUT_MS);

  test.each(afterwards(truth))('$who: $asks', ask);

  test('list_changes has every change of a score, and every cancelled goal', async () => {
    const { transitions } = await playing.output();
    const shown: string[] = [];
    const assistant = new Assistant(playing.watcher);
    let since: string | undefined;
    for (let page: number | null = 1; page !== null; ) {
      const window = since === undefined ? { minutes: 1_440 } : { since };
      const answer: ChangesAnswer = await assistant.ask('list_changes', {
        ...window,
        only: 'goals',
        limit: 50,
        page,
      });
      for (const { match_id, kind, score, ...change } of answer.changes) {
        if (score !== undefined) shown.push(`${match_id} ${change.before ?? ''} ${score}`);
        if (kind === 'goal_taken_back') shown.push(`${match_id} ${change.incident_id} taken back`);
      }
      ({ since, next_page: page } = answer);
    }
    const goals = (of: { home: number; away: number } | null) => (of === null ? '' : `${of.home}-${of.away}`);
    const wanted = transitions.flatMap(({ event_id, kind, score, incident_id }) => {
      if (kind === 'goal_cancelled') return [`${event_id} ${incident_id} taken back`];
      if (kind !== 'score_changed' || score === null) return [];
      return [`${event_id} ${goals(score.before)} ${goals(score.after)}`];
    });
    expect(wanted.length).toBeGreaterThan(200);
    expect(shown.sort()).toEqual(wanted.sort());
  });

  test('the command line of the inspector connects, lists the tools, and calls one', async () => {
    const { url, token } = playing.endpoint;
    const inspect = async (...args: string[]) => {
      const command = ['--cli', url.href, '--transport', 'http', ...args];
      const header = ['--header', `Authorization: Bearer ${token}`];
      const { stdout } = await promisify(execFile)(INSPECTOR, [...command, ...header], {
        env: { ...process.env, PATH: `${dirname(INSPECTOR)}:${process.env.PATH}` },
        maxBuffer: 2 ** 26,
      });
      return JSON.parse(stdout);
    };
    const { tools } = await inspect('--method', 'tools/list');
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(TOOLS.map(({ name }) => name));
    // Each call is a process of the inspector. services/tool-gateway/mcp/endpoint.test.ts tests every tool.
    const call = ['--method', 'tools/call', '--tool-name', 'get_match', '--tool-arg'];
    const answer = await inspect(...call, `match_id=${final.id}`);
    expect(answer.isError, JSON.stringify(answer)).toBeFalsy();
    expect(answer.structuredContent).toMatchObject({ match_id: final.id });
  });

  test('thirty questions take at most two calls and 2,000 tokens in the median', () => {
    expect(asked).toHaveLength(30);
    const table = JSON.stringify(asked, null, 1);
    expect(median(asked.map(({ calls }) => calls)), table).toBeLessThanOrEqual(MEDIAN.calls);
    expect(median(asked.map(({ tokens }) => tokens)), table).toBeLessThanOrEqual(MEDIAN.tokens);
  });
});

/** Waits until `live` matches are live, and the tools show all of their messages and these last reports of goals. */
async function untilShown(live: number, last: readonly { id: string; kind: string }[]): Promise<void> {
  const { states } = await playing.output();
  const assistant = new Assistant(playing.watcher);
  const missing = async (): Promise<readonly unknown[]> => {
    const { matches } = await assistant.ask('live_board');
    if (matches.length !== live || !matches.every(({ feed }) => feed.alive))
      return [`${live} live, all with a feed`, ...matches];
    for (const { id } of [final, thirdPlace]) {
      const { version } = await assistant.ask('get_match', { match_id: id, timeline: 'none' });
      const published = states.get(id)?.version ?? 0;
      if (version < published) return [`version ${version} of ${id}, not ${published}`];
    }
    const { changes } = await assistant.ask('list_changes', { only: 'goals', limit: 20 });
    return last.filter(
      (one) => !changes.some(({ incident_id, kind }) => incident_id === one.id && kind === one.kind),
    );
  };
  let others: readonly unknown[] = [];
  const reached = await poll(async () => {
    others = await missing();
    return others.length === 0;
  }, POLLING);
  expect(reached, JSON.stringify(others)).toBe(true);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.ceil(numbers.length / 2) - 1] ?? Number.POSITIVE_INFINITY;
}
