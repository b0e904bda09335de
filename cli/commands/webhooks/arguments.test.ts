import { expect, test } from 'vitest';
import { parseArguments, UsageError } from '../../command.ts';
import { parseWebhooks } from './arguments.ts';
import { command } from './command.ts';

const NOW = Date.parse('2026-11-20T18:00:00Z');
const parse = (line: string) => parseWebhooks(parseArguments(line.split(' ').filter(Boolean), command), NOW);

test.each([
  ['list --json', { action: 'list', json: true }],
  ['undelivered a1b2', { action: 'undelivered', id: 'a1b2', limit: 50, json: false }],
  ['resend a1b2 --from 2026-11-20T17:00:00Z', { action: 'resend', id: 'a1b2', from: NOW - 3_600_000 }],
  [
    'skip a1b2 --before 2026-11-20T17:00:00Z',
    { action: 'skip', id: 'a1b2', what: { before: NOW - 3_600_000 }, yes: false },
  ],
  ['skip a1b2 --message m --yes', { action: 'skip', id: 'a1b2', what: { message: 'm' }, yes: true }],
  ['enable a1b2', { action: 'enable', id: 'a1b2' }],
  ['disable a1b2', { action: 'disable', id: 'a1b2' }],
])('understands %s', (line, request) => expect(parse(line)).toEqual(request));

test.each([
  '',
  'remove a1b2',
  'list a1b2',
  'undelivered a1b2 --limit 0',
  'undelivered a1b2 --limit x',
  'resend a1b2 --from yesterday',
  'undelivered',
  'resend a1b2',
  'skip a1b2',
  'skip a1b2 --before 1h --message m',
  'enable',
  'enable a1b2 --json',
])('refuses %j', (line) => expect(() => parse(line)).toThrow(UsageError));
