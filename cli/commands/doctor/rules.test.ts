import { describe, expect, test } from 'vitest';
import type { TopicFacts } from '#cluster/describe.ts';
import { RefusedError } from '#streams/errors.ts';
import { DecodeError } from '#topics/errors.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { ALIVE } from '#trading/testing/feeds.ts';
import { fine } from './finding.ts';
import {
  judgeCertificate,
  judgeClock,
  judgeDisk,
  judgeProvider,
  judgeReceiverClocks,
} from './machine-rules.ts';
import { judgeDeadLetters, judgeFeeds, judgeRecords, judgeWebhooks, withOneCause } from './message-rules.ts';
import {
  judgeBrokers,
  judgeLag,
  judgeRefusals,
  judgeRights,
  judgeSchemas,
  judgeTopics,
} from './topic-rules.ts';

test('that the registry lost schemas is one finding, whose advice gives no id to others', () => {
  const error = new DecodeError('match-state', 'no schema 7', undefined, 'SCHEMA_UNKNOWN');
  const lost = judgeRecords([{ topic: 'match-state', partition: 0, offset: 1, error }], 10);
  const missing = judgeSchemas(new Map([['match-state-value', 'missing']]));
  expect(withOneCause([...missing, ...lost])).toEqual(lost);
  expect(withOneCause(missing)).toEqual(missing);
});

test('dead letters of the last day are one warning, with the last reason of each code', () => {
  const letter = (code: string, reason: string, failed_at: number) => ({ code, reason, failed_at });
  const letters = [letter('cut', 'bytes', 1), letter('cut', 'text', 2), letter('late', 'old', 3)];
  const message = '3 dead letters are less than a day old: 2 cut (the last: text); 1 late (the last: old)';
  expect(judgeDeadLetters(letters, 3)).toMatchObject([{ status: 'warning', message }]);
  expect(judgeDeadLetters(letters, 86_400_003)).toEqual([]);
});

const GOOD: TopicFacts = {
  id: 'x',
  partitions: 8,
  leaderless: 0,
  replicas: 3,
  inSync: 3,
  mayRead: true,
  mayWrite: true,
  settings: new Map([['cleanup.policy', 'compact']]),
  chosen: new Set(['cleanup.policy']),
};
const WANTED = [{ name: 'a', partitions: 8, settings: { 'cleanup.policy': 'compact' } }];
const DELETED = new Map([['cleanup.policy', 'delete']]);
const topicsWith = (changes: Partial<TopicFacts>) => new Map([['a', { ...GOOD, ...changes }]]);

describe('topics', () => {
  test('pass when they are as required', () => {
    expect(judgeTopics(WANTED, topicsWith({}))).toEqual([fine('topics', '1 topics as the table has them')]);
  });

  test('pass when their settings may not be read', () => {
    expect(judgeTopics(WANTED, topicsWith({ settings: null }))).toMatchObject([{ status: 'ok' }]);
  });

  test.each<[string, ReadonlyMap<string, TopicFacts>, string, string]>([
    ['missing', new Map(), 'failed', 'missing: a'],
    ['too few partitions', topicsWith({ partitions: 7 }), 'failed', 'a has 7 partitions, not 8'],
    ['a setting', topicsWith({ settings: DELETED }), 'failed', 'a has cleanup.policy=delete, not compact'],
    ['no leader', topicsWith({ leaderless: 2 }), 'failed', 'a has 2 partitions without a leader'],
    ['a replica behind', topicsWith({ inSync: 2 }), 'warning', 'a has 2 of 3 replicas in sync'],
  ])('are judged: %s', (_name, found, status, message) => {
    const advice = expect.stringMatching(/\w/);
    expect(judgeTopics(WANTED, found)).toEqual([{ check: 'topics', status, message, advice }]);
  });
});

test.each([
  [{}, ['ok']],
  [{ mayRead: false }, ['warning']],
  [{ mayWrite: false }, ['warning']],
  [{ mayRead: false, mayWrite: false }, ['warning', 'warning']],
])('judges rights %j', (changes, statuses) => {
  expect(judgeRights(topicsWith(changes)).map(({ status }) => status)).toEqual(statuses);
});

test('names brokers that cannot be reached from here', () => {
  const brokers = ['a:1', 'b:2'];
  expect(judgeBrokers({ brokers, unreachable: [] })).toMatchObject({ status: 'ok' });
  const message = 'b:2 of 2 brokers cannot be reached from here, or have a failed disk';
  expect(judgeBrokers({ brokers, unreachable: ['b:2'] })).toMatchObject({ status: 'failed', message });
});

test('names schemas that are missing, or not those of this release', () => {
  expect(judgeSchemas(new Map([['a-value', 'registered']]))).toMatchObject([{ status: 'ok' }]);
  const states = new Map([
    ['a-value', 'missing'],
    ['b-value', 'unreadable'],
    ['c-value', 'registered'],
    ['d-value', 'another version'],
  ] as const);
  expect(judgeSchemas(states)).toMatchObject([
    { status: 'failed', message: 'not registered: a-value' },
    { status: 'failed', message: expect.stringMatching(/cannot read .* b-value$/) },
    { status: 'warning', message: 'not the newest schema: d-value' },
  ]);
});

describe('lag', () => {
  const at = (position: number | null, start = 0, end = 100) => ({ partition: 3, start, end, position });

  test.each([
    ['done', [at(100)], 1, ['ok'], '0 records behind, 1 process'],
    ['working', [at(40), at(90)], 2, ['ok'], '70 records behind, 2 processes'],
    ['not begun', [at(null, 10)], 1, ['ok'], '90 records behind, 1 process'],
    ['far behind', [at(0, 0, 100_001)], 1, ['warning'], '100001 records behind, 1 process'],
    ['not running', [at(100)], 0, ['warning'], '0 records behind, 0 processes'],
    ['input lost', [at(5, 10)], 1, ['failed', 'ok'], 'was removed before it was processed, in partitions 3'],
    ['beyond the end', [at(101)], 1, ['failed', 'ok'], 'beyond the end of its input, in partitions 3'],
  ])('is judged: %s', (_name, progress, members, statuses, message) => {
    const findings = judgeLag('match-processor', progress, members);
    expect(findings.map(({ status }) => status)).toEqual(statuses);
    expect(findings[0]?.message).toContain(message);
  });

  test('passes for unused alerts, and advises their command once they ran', () => {
    const ofAlerts = (position: number | null) => judgeLag('alert-processor', [at(position)], 0);
    expect(ofAlerts(null)).toMatchObject([{ status: 'ok', message: 'alert-processor: not in use' }]);
    const advice = 'start it: npx touchline alerts --rules <file>';
    expect(ofAlerts(7)).toMatchObject([{ status: 'warning', advice }]);
  });
});

test.each([
  [0, 'ok'],
  [4_000, 'ok'],
  [7_000, 'warning'],
  [-7_000, 'warning'],
  [61_500, 'failed'],
  [-61_500, 'failed'],
])('judges a clock that is %d ms ahead: %s', (skew, status) => {
  const theirs = Math.floor((1_000_000 + skew) / 1_000) * 1_000;
  expect(judgeClock('x', { before: 1_000_000, theirs, after: 1_000_100 })).toMatchObject({ status });
});

describe('clocks of receivers', () => {
  const report = (behind_ms: number, expired: number, written_at = 1_000_000) => ({
    ...sampleOf('ingress-status'),
    clock: { behind_ms, expired },
    written_at,
  });

  test.each([
    [0, 0, ['ok']],
    [4_000, 0, ['ok']],
    [5_000, 0, ['warning']],
    // A receiver that is behind accepts every delivery.
    [3_600_000, 0, ['warning']],
    [0, 1, ['warning']],
    [0, 3, ['failed']],
    [7_000, 3, ['warning', 'failed']],
  ])('are judged: %d ms behind, %d expired deliveries', (behind, expired, statuses) => {
    const findings = judgeReceiverClocks([report(behind, expired)]);
    expect(findings.map(({ status }) => status)).toEqual(statuses);
    for (const { status, advice } of findings) expect(advice === null).toBe(status === 'ok');
  });

  test('are not judged without a report, by that of another source, or of a receiver that ended', () => {
    expect(judgeReceiverClocks([])).toEqual([]);
    expect(judgeReceiverClocks([{ ...report(0, 0), clock: null }])).toEqual([]);
    const ended = judgeReceiverClocks([report(9_000, 9), report(0, 0, 1_030_001)]);
    expect(ended).toMatchObject([{ status: 'ok' }]);
  });
});

const GIB = 1024 ** 3;
test.each([
  [50 * GIB, 100 * GIB, 'ok'],
  [9 * GIB, 100 * GIB, 'warning'],
  [0.9 * GIB, 2 * GIB, 'warning'],
  [0.1 * GIB, 2 * GIB, 'failed'],
])('judges %d free bytes of %d: %s', (free, total, status) => {
  expect(judgeDisk('/data', free, total)).toMatchObject({ status });
});

test.each([
  [200, 'ok'],
  [401, 'failed'],
  [null, 'failed'],
  [500, 'warning'],
])('judges a provider that answers %j: %s', (answer, status) => {
  expect(judgeProvider(answer)).toMatchObject({ status });
});

test('names a source that is not alive, with its delay', () => {
  const alive = { ...ALIVE, source: 'feed' };
  const late = { ...alive, source: 'webhook', believed: false, state: 'delayed', reason: 'delay' } as const;
  const messages = [[alive], [alive, { ...late, delay: 45_000 }], []].map((sources) =>
    judgeFeeds(sources).map(({ status, message }) => `${status}: ${message}`),
  );
  expect(messages).toEqual([['ok: feed: alive'], ['warning: webhook is delayed by 45 s'], []]);
});

const DAY = 86_400_000;
const FROM = Date.UTC(2027, 0, 1);
const TO = Date.UTC(2028, 0, 1);

describe('a certificate of ours', () => {
  test.each([
    ['that is valid for long', FROM + DAY, 'ok', /^that of KAFKA_TLS_CERT_FILE expires on 2028-01-01$/],
    ['with 14 days left', TO - 14 * DAY, 'ok', /expires on 2028-01-01$/],
    ['with less than that', TO - 14 * DAY + 1, 'warning', /expires on 2028-01-01$/],
    ['that has expired', TO, 'failed', /has expired on 2028-01-01: peers refuse it$/],
    ['that is not valid yet', FROM - 1, 'failed', /is not valid before 2027-01-01: peers refuse it$/],
  ])('%s is judged', (_, now, status, message) => {
    const found = judgeCertificate('KAFKA_TLS_CERT_FILE', { from: FROM, to: TO }, now);
    expect(found).toMatchObject({ status, message: expect.stringMatching(message) });
    expect(found.advice === null).toBe(status === 'ok');
  });
});

const refusal = (partition: number, code: 'CHANGELOG_RECREATED' | 'POSITION_MISSING' | 'INPUT_LOST') => ({
  partition,
  error: new RefusedError(code, `why ${partition}`),
});

test('passes logs that fit their positions', () => {
  expect(judgeRefusals('p', [], [])).toMatchObject([{ status: 'ok' }]);
});

test('fails on refused partitions, once for each reason, and leaves lost input to the lag', () => {
  const refused = [
    refusal(0, 'CHANGELOG_RECREATED'),
    refusal(1, 'INPUT_LOST'),
    refusal(2, 'CHANGELOG_RECREATED'),
    refusal(3, 'POSITION_MISSING'),
  ];
  expect(judgeRefusals('p', [], refused)).toMatchObject([
    { status: 'failed', message: 'p refuses partitions 0, 2 (CHANGELOG_RECREATED): why 0' },
    { status: 'failed', message: 'p refuses partitions 3 (POSITION_MISSING): why 3' },
  ]);
});

test('advises one command for all partitions that are refused alike', () => {
  const of = (partitions: unknown) => `npx touchline position p ${partitions} start`;
  const error = (partition: number) => new RefusedError('INPUT_RECREATED', 'why', { partition, of });
  const refused = [1, 12].map((partition) => ({ partition, error: error(partition) }));
  const [found] = judgeRefusals('p', [], refused);
  expect(found?.advice).toMatch(/^npx touchline position p 1,12 start; /);
  expect(error(12).message).toBe('why; npx touchline position p 12 start');
});

test('names the rebuild of a lost topic, and never touchline topics alone', () => {
  const lost = [
    { name: 't.match-state', deriver: 'match-processor' },
    { name: 't.normalized-messages', deriver: null },
  ];
  const [derived, given] = judgeRefusals('match-processor', lost, []);
  expect(derived?.advice).toMatch(/touchline topics.*rebuild match-processor --yes/);
  expect(given?.advice).toMatch(/^restore the topic from a backup/);
  const required = lost.map(({ name }) => ({ name, partitions: 1, settings: {} }));
  const names = new Set(lost.map(({ name }) => name));
  expect(judgeTopics(required, new Map(), names)).toEqual([]);
  expect(judgeTopics(required, new Map())).toMatchObject([{ status: 'failed' }]);
});

const DELIVERED = {
  disabled: null,
  attempts: 0,
  failing_since: null,
  last_outcome: 'accepted',
  last_reason: null,
};
const OK = { ...sampleOf('webhook-progress'), ...DELIVERED };

describe('webhooks of clients', () => {
  const since = 1_790_000_000_000;
  const webhook = (change: object) => {
    return { id: 'abc', clientId: 1, active: true, isUnopened: false, progress: { ...OK, ...change } };
  };
  const FAILING = { attempts: 3, failing_since: since, last_outcome: 'timeout' };

  test.each([
    ['none', [], ['ok']],
    ['one that is delivered', [webhook({})], ['ok']],
    ['one that no dispatcher has seen', [{ ...webhook({}), progress: null }], ['ok']],
    ['one that fails', [webhook(FAILING)], ['warning']],
    ['one that is disabled as it failed', [webhook({ disabled: 'failing', attempts: 9 })], ['failed']],
    ['one that an operator disabled', [webhook({ disabled: 'operator' })], ['warning']],
    ['one that no key opens', [{ ...webhook({}), isUnopened: true, progress: null }], ['failed']],
    ['one of a disabled client', [{ ...webhook({ attempts: 3 }), active: false }], ['ok']],
  ])('are judged as `webhooks list` shows them: %s', (_, webhooks, statuses) => {
    const findings = judgeWebhooks(webhooks);
    expect(findings.map(({ status }) => status)).toEqual(statuses);
    for (const { status, advice } of findings) expect(advice === null).toBe(status === 'ok');
  });

  test.each([
    ['CERT_HAS_EXPIRED', 'it has expired'],
    ['CERT_NOT_YET_VALID', 'it is not valid yet'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'it is for another name'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'no trusted authority vouches for it'],
  ])('name the fault of a receiver’s certificate: %s', (last_reason, fault) => {
    const failing = { ...FAILING, last_outcome: 'failed', last_reason };
    for (const change of [failing, { ...failing, attempts: 0, disabled: 'failing' }])
      expect(judgeWebhooks([webhook(change)])[0]?.message).toContain(
        `ended as failed ${last_reason}: the certificate of its receiver is refused, as ${fault}`,
      );
  });

  test('are counted where many have the same fault', () => {
    const sealed = { ...webhook({}), isUnopened: true, progress: null };
    const many = Array.from({ length: 1_000 }, (_, at) => (at % 2 === 0 ? webhook(FAILING) : sealed));
    const other = webhook({ ...FAILING, last_outcome: 'status', last_reason: '503' });
    expect(judgeWebhooks([...many, other])).toMatchObject([
      { status: 'warning', message: expect.stringContaining('the last ended as timeout') },
      { status: 'warning', message: '499 more webhooks fail (timeout)' },
      { status: 'failed', message: expect.stringContaining('is sealed with another key') },
      { status: 'failed', message: '499 more webhooks are sealed with another key' },
      { status: 'warning', message: expect.stringMatching(/3 attempts, the last ended as status 503$/) },
    ]);
  });
});
