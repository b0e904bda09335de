/** Runs the statements of docs/guides/flink.md with Flink as its example does, beside a running match processor. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  eventFields,
  eventMessage,
  incident,
  incidentMessage,
  EVENT_ID as LIVE,
  participants,
} from '#domain/testing/messages.ts';
import type { MatchState } from '#records/types.ts';
import { topicName } from '#topics/topics.ts';
import { backbone } from '../../setup/backbone.ts';
import { atEnd } from '../../support/at-end.ts';
import { health, publishHealth } from '../../support/feed-health.ts';
import { FEW_PARTITIONS, type PipelineConnection } from '../../support/pipeline.ts';
import { untilTrue } from '../../support/poll.ts';
import { publishValues } from '../../support/publish-values.ts';
import { playAtOnce, System } from '../../support/system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { makeOnly } from '../../support/topics.ts';
import { FLINK_EXPRESSIONS, SAMPLE_VALUES, SAMPLES, UNKNOWN, UNKNOWN_VALUES } from './page-values.ts';
import { compiledByMaven, HAS_MAVEN, JAVA } from './prepare.ts';

const ROOT = join(import.meta.dirname, '../../..');
const EXAMPLE = join(ROOT, 'docs/examples/flink');
const PAGE = readFileSync(join(ROOT, 'docs/guides/flink.md'), 'utf8');
const MATCHES = 4;

type Row = {
  readonly event_id: number;
  readonly version: number;
  readonly home: string | null;
  readonly away: string | null;
  readonly score_home: number | null;
  readonly score_away: number | null;
  readonly firm_home: number | null;
  readonly firm_away: number | null;
  readonly may_act_until: number | null;
};
type Line = Row & { readonly change: '+I' | '-U' | '+U' | '-D' };

const BLOCKS = [...PAGE.matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);

function statements(blocks: readonly string[], { brokers, registryUrl, prefix }: PipelineConnection): string {
  return blocks
    .join('\n')
    .replaceAll('localhost:9092', brokers.join(','))
    .replaceAll('http://localhost:8085/apis/ccompat/v7', registryUrl)
    .replaceAll("'touchline.", `'${prefix}`);
}

/** A running query, whose lines are passed on. It is killed after the test or file that started it. */
class FlinkQuery {
  #log = '';
  readonly #child: ChildProcess;

  constructor(classPath: string, sql: string, onLine: (line: string) => void) {
    const file = join(temporaryFolder(), 'statements.sql');
    writeFileSync(file, sql);
    const options = ['-XX:TieredStopAtLevel=1', '-Xmx512m', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn'];
    this.#child = spawn(JAVA ?? 'java', [...options, '-cp', classPath, 'RunSql', file], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    atEnd(() => this.#child.kill('SIGKILL'));
    const { stdout, stderr } = this.#child;
    // A JVM may write warnings to standard output.
    if (stdout !== null) createInterface(stdout).on('line', (line) => line.startsWith('{') && onLine(line));
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#log = `${this.#log}${text}`.slice(-4_000);
    });
  }

  async until(what: string, holds: () => boolean): Promise<void> {
    await untilTrue(what, () => {
      if (this.#child.exitCode !== null) throw new Error(`Flink ended:\n${this.#log}`);
      return holds();
    });
  }
}

/** Runs the page's query. Returns it with the rows by match. */
function startTable(classPath: string, sql: string) {
  const rows = new Map<number, Row>();
  const query = new FlinkQuery(classPath, sql, (line) => {
    const { change, ...row }: Line = JSON.parse(line);
    if (change === '+I' || change === '+U') rows.set(row.event_id, row);
    else rows.delete(row.event_id);
  });
  /** Waits until the row of a match has these values. */
  const shows = async (what: string, event: number, row: Partial<Row>): Promise<void> => {
    const shown = (): boolean =>
      Object.entries(row).every(([name, value]) => rows.get(event)?.[name as keyof Row] === value);
    await query.until(what, shown).catch((error: Error) => {
      throw new Error(`${error.message}: ${JSON.stringify(rows.get(event))}`);
    });
  };
  return { rows, query, shows };
}

/** Returns the row of a state without a vouching source. */
function rowOf({ event_id, version, home, away, score, firm }: MatchState): Row {
  return {
    event_id,
    version,
    home: home?.name ?? null,
    away: away?.name ?? null,
    score_home: score?.home ?? null,
    score_away: score?.away ?? null,
    firm_home: firm?.home ?? null,
    firm_away: firm?.away ?? null,
    may_act_until: null,
  };
}

const compiled = () => compiledByMaven('flink', EXAMPLE, ['RunSql.java']);

const needs = HAS_MAVEN ? '' : ' (needs Java, which is not on this machine)';

describe.runIf(HAS_MAVEN)(`Flink SQL${needs}`, () => {
  let system: System;
  let table: ReturnType<typeof startTable>;

  beforeAll(async () => {
    const [classPath, made] = await Promise.all([compiled(), System.create()]);
    system = made;
    const receiver = await system.startReceiver();
    table = startTable(classPath, statements(BLOCKS, system.pipeline.connection));
    await playAtOnce({ WEBHOOK_URL: receiver.url, SEED: '1', FAULTS: 'many', MATCHES: String(MATCHES) });
    await receiver.service.stop();
  });

  test('has a row for each match that equals its match state', async () => {
    const { states } = await system.output();
    expect(states.size).toBe(MATCHES);
    const expected = [...states.values()].map(rowOf).sort((a, b) => a.event_id - b.event_id);
    const found = () => [...table.rows.values()].sort((a, b) => a.event_id - b.event_id);
    await table.query
      .until('all rows are there', () => JSON.stringify(found()) === JSON.stringify(expected))
      .catch(() => {});
    expect(found()).toEqual(expected);
  });

  test('permits no act on a goal under review, and none without a vouching source', async () => {
    const { pipeline } = system;
    const now = Math.floor(Date.now() / 1000);
    const feed = (message: object) => pipeline.feed([{ ...message, event_id: LIVE } as never]);
    const validUntil = Date.now() + 600_000;
    const publish = (...records: Parameters<typeof health>[0][]) =>
      publishHealth(pipeline.connection, ...records.map(health));
    await publish({ valid_until: validUntil }, { event_id: LIVE });
    await feed(eventMessage(now, eventFields({ participants: participants(0, 0) })));
    await feed(incidentMessage(incident('5-1', 429, { ut: now, participant_id: null, event_time: 0 })));
    const none = { score_home: 0, score_away: 0, firm_home: 0, firm_away: 0 };
    await table.shows('no goal', LIVE, { ...none, may_act_until: validUntil });

    const goal = (ut: number, confirmation: string) =>
      incidentMessage(incident('5-2', 413, { ut, confirmation }), {
        fields: eventFields({ participants: participants(confirmation === 'cancelled' ? 0 : 1, 0) }),
      });
    await feed(goal(now + 1, 'tbd'));
    await table.shows('the goal is under review', LIVE, { ...none, score_home: 1, may_act_until: null });
    await feed(goal(now + 2, 'cancelled'));
    await table.shows('the goal is taken back', LIVE, { ...none, may_act_until: validUntil });
    await publish({ event_id: LIVE, state: 'stale' });
    await table.shows('it is stale', LIVE, { may_act_until: null });
    await publish({ event_id: LIVE }, { valid_until: validUntil });
    await table.shows('it is alive', LIVE, { may_act_until: validUntil });
    await publish({ valid_until: validUntil, term: 2 });
    await table.shows('the new monitor has not judged it', LIVE, { may_act_until: null });
  });
});

test.runIf(HAS_MAVEN)(`reads the values of the guide to the topics${needs}`, async () => {
  const connection = backbone();
  const { brokers, prefix } = connection;
  const topics = ['normalized-messages', 'match-incidents', 'standings'] as const;
  const names = new Set(topics.map((topic) => topicName(prefix, topic)));
  await makeOnly(names, { brokers, prefix, partitions: FEW_PARTITIONS });
  for (const records of [SAMPLES, UNKNOWN]) {
    const key = records === SAMPLES ? 'known' : 'unknown';
    await publishValues(connection, 'normalized-messages', [{ key, value: records.message }]);
    await publishValues(connection, 'match-incidents', [{ key, value: records.record }]);
    await publishValues(connection, 'standings', [{ key, value: records.table }]);
  }
  const query = FLINK_EXPRESSIONS.map(
    ({ expression, table }, at) =>
      `SELECT record_key, ${at} AS nr, CAST(${expression} AS STRING) AS found FROM ${table}`,
  ).join(' UNION ALL ');
  const tables = BLOCKS.filter((block) => block.startsWith('CREATE TABLE'));
  const found = new Map<string, (string | null)[]>();
  const flink = new FlinkQuery(await compiled(), statements([...tables, query], connection), (line) => {
    const row: { record_key: string; nr: number; found: string | null } = JSON.parse(line);
    const values = found.get(row.record_key) ?? [];
    values[row.nr] = row.found;
    found.set(row.record_key, values);
  });
  const count = () => [...found.values()].flatMap((values) => Object.keys(values)).length;
  await flink.until('all values are there', () => count() === 2 * FLINK_EXPRESSIONS.length);
  const text = (values: readonly unknown[]) => values.map((one) => (one === null ? null : String(one)));
  expect(Object.fromEntries(found)).toEqual({
    known: text(SAMPLE_VALUES),
    unknown: text(UNKNOWN_VALUES),
  });
});
