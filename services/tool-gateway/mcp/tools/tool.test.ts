import { expect, test } from 'vitest';
import { z } from 'zod';
import { readArguments } from './tool.ts';

const INPUT = z
  .object({
    id: z.int().min(1),
    name: z.string().min(2),
    limit: z.int().max(50).default(20),
    show: z.enum(['live', 'today']).default('live'),
    day: z.iso.date().optional(),
  })
  .strict();
const REQUIRED = { id: 7, name: 'Alpha' };
const DEFAULTS = { ...REQUIRED, limit: 20, show: 'live' };

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['null as left out', { limit: null, show: null, day: null }, DEFAULTS],
  ['empty text as left out', { limit: '', show: ' ', day: '' }, DEFAULTS],
  ['a number in text', { id: ' 900001 ', limit: '10' }, { ...DEFAULTS, id: 900_001, limit: 10 }],
  ['a number with a fraction of zero', { id: '900001.0' }, { ...DEFAULTS, id: 900_001 }],
  ['a number for text', { name: 2018 }, { ...DEFAULTS, name: '2018' }],
  ['a word in another case', { show: 'TODAY' }, { ...DEFAULTS, show: 'today' }],
])('reads %s', (_name, given, meant) => {
  expect(INPUT.safeParse(readArguments({ ...REQUIRED, ...given }, INPUT.shape))).toEqual({
    success: true,
    data: meant,
  });
});

test.each<[string, unknown, string[]]>([
  ['a required argument of null', { id: null, name: '' }, ['id', 'name']],
  ['text that is no number', { ...REQUIRED, id: '7 or 8', limit: '1e3' }, ['id', 'limit']],
  ['a number above the maximum', { ...REQUIRED, limit: '51' }, ['limit']],
  ['an unknown argument, also of null', { ...REQUIRED, league: null, ['__proto__']: 1 }, ['']],
  ['a list', [REQUIRED], ['']],
  ['none of what is required', null, ['id', 'name']],
])('leaves %s to be refused', (_name, given, paths) => {
  const { error } = INPUT.safeParse(readArguments(given, INPUT.shape));
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(paths);
});
