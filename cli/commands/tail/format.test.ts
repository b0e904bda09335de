import { expect, test } from 'vitest';
import { sampleOf } from '#topics/testing/samples.ts';
import { UsageError } from '../../command.ts';
import { formatter } from './format.ts';

const state = {
  topic: 'match-state',
  partition: 3,
  offset: 7,
  timestamp: Date.UTC(2026, 10, 23),
  key: 'k\u001b',
  value: sampleOf('match-state'),
  bytes: null,
} as const;

test.each([
  ['{topic}/{partition}/{offset} {key}', 'match-state/3/7 k\\u001b'],
  ['{time}\\t{value.score.home}:{value.score.away}', '2026-11-23T00:00:00.000Z\t1:0'],
  ['{value.score}', '{"home":1,"away":0}'],
  ['[{value.no.such}]', '[]'],
  ['plain', 'plain'],
])('fills %j', (format, text) => expect(formatter(format)(state)).toBe(text));

test('fills the format for a deleted key', () =>
  expect(formatter('{key}={value}|{summary}')({ ...state, key: 'k', value: null })).toBe(
    'k=|(no value: the key is deleted)',
  ));

test.each(['{nonsense}', '{value.}x{}', '{key.x}'])('refuses %j', (format) =>
  expect(() => formatter(format)).toThrow(UsageError),
);
