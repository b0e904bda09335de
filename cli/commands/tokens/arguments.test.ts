import { expect, test } from 'vitest';
import { parseArguments, UsageError } from '../../command.ts';
import { parseTokens } from './arguments.ts';
import { command } from './command.ts';

const ID = 'a1b2c3d4e5f60718';

test.each([
  [['list'], { action: 'list', clientId: null, json: false }],
  [['list', '--client', '7', '--json'], { action: 'list', clientId: 7, json: true }],
  [['revoke', ID], { action: 'revoke', id: ID }],
  [['revoke', ID, '--yes'], { action: 'revoke', id: ID, yes: true }],
  [['revoke', '--client', '7'], { action: 'revoke all', clientId: 7 }],
  [['label', ID, 'the desk'], { action: 'label', id: ID, label: 'the desk' }],
  [['label', ID, '--none'], { action: 'label', id: ID, label: null }],
  [['expire', ID, '--never'], { action: 'expire', id: ID, at: null }],
  [['expire', ID, '--at', '2027-01-31'], { action: 'expire', id: ID, at: Date.UTC(2027, 0, 31) }],
  [
    ['expire', ID, '--at', '2027-01-31T12:00:00+01:00'],
    { action: 'expire', id: ID, at: Date.UTC(2027, 0, 31, 11) },
  ],
])('understands %j', (args, request) => expect(parseTokens(parseArguments(args, command))).toEqual(request));

test.each([
  [[]],
  [['issue']],
  [['list', ID]],
  [['list', '--client', '0']],
  [['revoke']],
  [['revoke', ID, '--client', '7']],
  [['revoke', ID, '--json']],
  [['label', ID]],
  [['label', ID, 'x', '--none']],
  [['label', ID, 'x'.repeat(257)]],
  [['expire', ID]],
  [['expire', ID, '--at', '2027-01-31', '--never']],
  [['expire', ID, '--at', '2027-01-31T12:00:00']],
])('refuses %j', (args) => expect(() => parseTokens(parseArguments(args, command))).toThrow(UsageError));

test('does not echo a token that was given instead of its id', () => {
  const token = `touchline_pat_${'x'.repeat(43)}`;
  expect(() => parseTokens(parseArguments(['revoke', token], command))).toThrow(
    expect.not.stringContaining(token),
  );
});
