import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { alertsOf } from '#processors/alerts/alert.ts';
import { findingsOf } from '#processors/alerts/decide.ts';
import { type AlertRule, readRules } from '#processors/alerts/rules.ts';
import type { Alert, FeedHealth, MatchState, MatchTransition } from '#records/types.ts';
import { alertLine } from '../../../cli/commands/alerts/run.ts';
import { backbone } from '../../setup/backbone.ts';
import { connectionEnv } from '../../support/environment.ts';
import { health, publishHealth } from '../../support/feed-health.ts';
import { HttpsReceiver } from '../../support/https-receiver.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { untilTrue } from '../../support/poll.ts';
import { rounds } from '../../support/rounds.ts';
import { SEED, seeded } from '../../support/seed.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type TouchlineRun, touchline } from '../../support/touchline.ts';
import { startDispatcher, subscribe } from '../../support/webhooks.ts';
import { HOME, workload } from '../../support/workload.ts';

const RULES = join(import.meta.dirname, '../../../data/alert-rules.json');
const KILLS = rounds(8);
const EVENTS = 12;
const SECRET = '0123456789abcdef0123456789ABCDEF';
const HOUR_MS = 3_600_000;
const STALE_SINCE = 1_795_000_000_000;

/** Writes the rules of the guide, for a team of the workload. Returns the file. */
function rulesOfWorkload(): string {
  const { rules } = JSON.parse(readFileSync(RULES, 'utf8'));
  const ofTeam = rules.map((rule: object) => ('teams' in rule ? { ...rule, teams: [HOME] } : rule));
  const file = join(temporaryFolder(), 'rules.json');
  writeFileSync(file, JSON.stringify({ rules: ofTeam }));
  return file;
}

/** Returns the ids of the alerts of transitions by these rules. What is an alert: libs/processors/alerts/decide.test.ts. */
function expectedOf(transitions: readonly MatchTransition[], rules: readonly AlertRule[]): string[] {
  return transitions.flatMap((transition) =>
    findingsOf(transition).flatMap((finding, nth, all) => {
      const { id, event_id, version, cause, match } = transition;
      const subject = nth > 0 && finding.kind === all[0]?.kind ? `${id}/${finding.incident?.id}` : id;
      return alertsOf(rules, finding, { ...cause, event_id, version, subject }, match).map(
        (alert) => alert.id,
      );
    }),
  );
}

type Played = {
  readonly expected: readonly string[];
  readonly states: ReadonlyMap<number, MatchState>;
  /** What the killed processes and the last one printed. */
  readonly printed: readonly PrintedAlert[];
  /** The lines of a process with --format line, which started later. */
  readonly lines: readonly string[];
  readonly published: readonly Alert[];
  readonly webhooks: readonly string[];
  readonly delivered: HttpsReceiver;
  readonly others: HttpsReceiver;
  /** Number of printed lines when each process was killed. */
  readonly killedAt: readonly number[];
};

let played: Played;

type PrintedAlert = Alert & { readonly offset: number | null };

const linesOf = ({ out }: TouchlineRun): PrintedAlert[] =>
  out
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

beforeAll(async () => {
  const pipeline = await Pipeline.create({
    ...backbone(),
    services: ['match-processor', 'webhook-dispatcher', 'alert-processor'],
  });
  const { connection } = pipeline;
  const random = seeded(SEED);
  const processor = pipeline.startProcessor();
  const [delivered, others] = await Promise.all([HttpsReceiver.start(), HttpsReceiver.start()]);
  await subscribe(connection, { url: delivered.url, secret: SECRET, types: ['alert'] });
  await subscribe(connection, { url: others.url, secret: SECRET });
  const [feed] = await Promise.all([pipeline.openFeed(), startDispatcher(connection), processor.ready()]);
  const sayHealth = (
    source: string,
    eventId: number | null,
    state: FeedHealth['state'],
    since: number,
  ): Promise<void> => {
    const reason = state === 'stale' ? 'silence' : null;
    const valid_until = eventId === null ? Date.now() + HOUR_MS : null;
    const written_at = Date.now();
    const record = health({ source, event_id: eventId, state, reason, since, written_at, valid_until });
    return publishHealth(connection, record);
  };

  await sayHealth('feed', null, 'alive', STALE_SINCE);
  await sayHealth('webhook', null, 'alive', STALE_SINCE);
  const rules = rulesOfWorkload();
  const start = (...output: readonly string[]): TouchlineRun =>
    touchline(['alerts', '--rules', rules, ...output, '--max-age', '999999d'], {
      ...connectionEnv(connection),
      SESSION_TIMEOUT_MS: '6000',
      LOG_LEVEL: 'info',
    });
  const messages = workload({ events: EVENTS, perEvent: 40, seed: SEED });
  const [first = 0] = messages.map(({ event_id }) => event_id);
  const share = Math.ceil(messages.length / (2 * KILLS + 1));
  const send = (part: number): Promise<void> => feed.send(messages.slice(part * share, (part + 1) * share));
  const killedAt: number[] = [];
  let run = start();
  const runs = [run];
  const printed = () => runs.flatMap(linesOf);
  for (let kill = 0; kill < KILLS; kill += 1) {
    // Repeats the same two stale records each time, as a monitor does; another source of the second match is alive.
    await sayHealth('feed', first, 'stale', STALE_SINCE);
    await sayHealth('webhook', first + 1, 'alive', STALE_SINCE);
    await sayHealth('feed', first + 1, 'stale', STALE_SINCE);
    await send(2 * kill);
    await untilTrue('alerts are published', () => {
      if (run.child.exitCode !== null) throw new Error(`it ended: ${run.err}`);
      return linesOf(run).length > 0;
    });
    const sending = send(2 * kill + 1);
    await delay(random() * 400);
    run.child.kill('SIGKILL');
    await run.ended;
    killedAt.push(printed().length);
    await sending;
    run = start();
    runs.push(run);
  }
  await sayHealth('webhook', first + 1, 'stale', STALE_SINCE + 5_000);
  await untilTrue('its alert is printed', () =>
    printed().some(({ event_id, kind }) => event_id === first + 1 && kind === 'match_stale'),
  );
  await sayHealth('webhook', first + 1, 'recovered', STALE_SINCE + 9_000);
  const reading = start('--format', 'line');
  // It prints alerts that are published after its start.
  await untilTrue('the one for people takes part', () => reading.err.includes('partitions assigned'));
  await send(2 * KILLS);
  const { transitions, states } = await (async () => {
    await pipeline.settled();
    return pipeline.output();
  })();
  const expected = [
    ...expectedOf(transitions, readRules(rules)),
    `trading/match_stale/${first}/${STALE_SINCE}`,
    `trading/match_stale/${first + 1}/${STALE_SINCE + 5_000}`,
    `trading/match_recovered/${first + 1}/${STALE_SINCE + 5_000}`,
  ].sort();
  const published: Alert[] = [];
  await untilTrue('all alerts are published', async () => {
    published.length = 0;
    await pipeline.read('alerts', (alert) => published.push(alert));
    return published.length >= expected.length;
  }).catch(() => {});
  run.child.kill('SIGTERM');
  expect(await run.ended, run.err).toBe(0);
  reading.child.kill('SIGTERM');
  expect(await reading.ended, reading.err).toBe(0);
  expect(reading.err, 'in a pipe, too, a line and no record with a stack').not.toMatch(/^\{/m);
  const webhooks: string[] = [];
  await pipeline.read('webhook-messages', ({ uuid }) => webhooks.push(uuid));
  const lines = reading.out.split('\n').slice(0, -1);
  played = { expected, states, printed: printed(), lines, published, webhooks, delivered, others, killedAt };
});

const idsOf = (alerts: readonly Alert[]): string[] => alerts.map(({ id }) => id).sort();

describe('alerts of a process that is killed repeatedly', () => {
  test('were being published when it was killed', () => {
    const { expected, killedAt } = played;
    expect(expected.length).toBeGreaterThan(100);
    expect(Math.max(...killedAt)).toBeGreaterThan(0);
    expect(Math.max(...killedAt)).toBeLessThan(expected.length);
  });

  test('are on the topic once', () => {
    expect(idsOf(played.published)).toEqual(played.expected);
  });

  test('are printed at most once, as the topic has them, except early alerts of stale feeds', () => {
    const byId = new Map(played.published.map((alert) => [alert.id, alert]));
    const early = played.printed.filter(({ offset }) => offset === null);
    for (const { id } of early) expect(id).toMatch(/\/match_(?:stale|recovered)\//);
    const read = played.printed.flatMap(({ offset, ...alert }) => (offset === null ? [] : [alert]));
    expect(new Set(idsOf(read)).size).toBe(read.length);
    for (const alert of read) expect(alert).toEqual(byId.get(alert.id));
  });

  test('are webhook messages once, and delivered to subscriptions of alerts only', async () => {
    const { expected, webhooks, delivered, others } = played;
    expect(webhooks.toSorted()).toEqual(expected);
    const ids = () =>
      delivered.received.flatMap(({ body }) =>
        (JSON.parse(body.toString()) as { uuid: string; data: { alert: Alert } }[]).map(({ uuid, data }) => {
          expect(data.alert.id).toBe(uuid);
          return uuid;
        }),
      );
    await untilTrue('all were delivered', () => new Set(ids()).size >= expected.length);
    expect([...new Set(ids())].sort()).toEqual(expected);
    expect(others.received).toEqual([]);
  });

  test('name the match, its teams and what happened', () => {
    const goal = played.published.find(({ kind }) => kind === 'goal');
    expect(goal).toMatchObject({ name: 'Home - Away', competition_id: 1, home_id: HOME, away_id: 102 });
    expect(goal?.score).not.toBeNull();
    expect([goal?.score_before, goal?.team_id, goal?.minute]).not.toContain(null);
    const stale = played.published.find(({ kind }) => kind === 'match_stale');
    expect(stale).toMatchObject({ version: null, reasons: ['stale', 'silence'], ut: STALE_SINCE / 1_000 });
  });
});

const goalOf = ({ event_id, incident_id }: Alert): string => `${event_id}/${incident_id}`;

test('joins a goal and its cancellation by the incident, with the score before and after', () => {
  const { published, states } = played;
  const cancelled = published.filter(({ kind, rule }) => kind === 'goal_cancelled' && rule === 'goals');
  expect(cancelled.length).toBeGreaterThan(0);
  const goals = new Map(published.flatMap((one) => (one.kind === 'goal' ? [[goalOf(one), one]] : [])));
  const joined = cancelled.filter((one) => goals.has(goalOf(one)));
  expect(joined.length).toBeGreaterThan(0);
  for (const { score, score_before, team_id, minute } of joined)
    expect([score, score_before, team_id, minute]).not.toContain(null);
  for (const one of published.filter(({ kind }) => kind === 'goal' || kind === 'goal_cancelled')) {
    const key = states.get(one.event_id)?.key_incidents.find(({ id }) => id === one.incident_id);
    if (one.incident_id !== null) expect(key).toBeDefined();
  }
});

test('prints lines for people with --format line', () => {
  const expected = new Set(played.published.map(alertLine));
  expect(played.lines.length).toBeGreaterThan(0);
  for (const line of played.lines) expect(expected).toContain(line);
});
