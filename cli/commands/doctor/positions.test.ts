import { expect, test } from 'vitest';
import { RefusedError } from '#streams/errors.ts';
import { judgeRefusals } from './positions.ts';
import { judgeTopics } from './rules.ts';

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

test('prints one command for all partitions', () => {
  const error = (n: number) =>
    new RefusedError(
      'INPUT_RECREATED',
      `npx touchline position p ${n} start, or npx touchline position p ${n} 7`,
    );
  const refused = [1, 12].map((partition) => ({ partition, error: error(partition) }));
  const [found] = judgeRefusals('p', [], refused);
  expect(found?.message).toContain(': npx touchline position p 1,12 start, or npx touchline position p 1 7');
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
