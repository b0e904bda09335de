/** Every order with arguments that an unset variable, a half-typed word or another application leaves: refused before a broker is asked. */
import type { CommandUnknownOpts } from 'commander';
import { describe, expect, test } from 'vitest';
import { touchlineHere } from '../test/support/touchline-here.ts';
import { parseArguments } from './command.ts';
import { loadCommand, SUMMARIES } from './commands/catalogue.ts';

const NO_BROKER = { DATA_DIR: '/nonexistent' };

/** Arguments by their kind: one that is valid, and those that are not. */
const KINDS: Readonly<Record<string, { readonly valid: string; readonly wrong: readonly string[] }>> = {
  '<client>': { valid: '7', wrong: ['0', '-1', '7x', '7,8', '*', 'all'] },
  '<token>': { valid: '0123456789abcdef', wrong: ['0123', '*', 'touchline_pat_abc', '0123456789ABCDEF'] },
  '<webhook start>': { valid: 'a1b2', wrong: ['a', 'a1b', '*'] },
  '<letter start>': { valid: 'a1b2', wrong: ['a', 'a1b', '*'] },
  // Compared as a whole.
  '<id>': { valid: 'a1b2c3', wrong: [] },
  '<event>': { valid: '7', wrong: ['x', '-1', '7x', '*'] },
  '<why>': { valid: 'never played', wrong: ['a\nb', 'x'.repeat(201)] },
  '<text>': { valid: 'desk', wrong: [] },
  '<file>': { valid: '/nonexistent/file', wrong: [] },
  '<url>': { valid: 'https://a.example/hook', wrong: [] },
  '<prefix>': {
    valid: 'rebuilt.',
    wrong: ['.', '..', 'a', '.a.', 'a..', 'a b.', '*', 'a.*', 'a/b.', 'match-state'],
  },
  '<time>': { valid: '1h', wrong: ['1', 'yesterday', '2026-11', '2126-01-01T00:00:00Z', '*'] },
  '<moment>': { valid: '2026-01-01T00:00:00Z', wrong: ['1h', '2026-11', '*'] },
  '<day>': { valid: '2027-01-31', wrong: ['2027-01', '2027-13-31', 'tomorrow', '*'] },
  '<processor>': { valid: 'match-processor', wrong: ['match', 'api', '*', 'touchline.match-processor'] },
  '<partition>': { valid: '3,4', wrong: ['x', '-1', '3x', '3,', '*', '99999'] },
  '<offset>': { valid: 'end', wrong: ['en', 'x', '-4', '*', '1e3'] },
  '<count>': { valid: '4', wrong: ['0', '-1', '4x', '*'] },
  '<seconds>': { valid: '2.5', wrong: ['0', '-1', '21', 'x', '*'] },
  '<factor>': { valid: '0.5', wrong: ['0', '-1', 'x', '*'] },
  '<competition>': { valid: '9', wrong: ['0', '-1', 'nine', '9,10', '1e3'] },
  '<halt time>': { valid: '10m', wrong: ['0m', '10', 'soon', '-10m'] },
  '<ids>': { valid: '1,2', wrong: ['1,', ',', '1,x', '*'] },
  '<operations>': { valid: 'events.index', wrong: ['events', 'events.', 'events.index,', '*'] },
  '<types>': { valid: 'incident', wrong: ['inc', 'incident,', '*'] },
  '<source>': { valid: 'raw', wrong: ['ra', '*', 'match-state'] },
};

/** The orders, each with all its arguments. */
const ORDERS: readonly string[] = [
  'clients add --id <client> --name <text> --competitions <ids> --operations <operations>',
  'clients enable <client>',
  'clients disable <client>',
  'clients rotate-secret <client>',
  'clients contract <client> --competitions <ids> --operations <operations>',
  'clients webhook add <client> --url <url> --secret-file <file> --types <types> --max-age-seconds <seconds>',
  'clients webhook remove <client> <id> --yes',
  'clients webhook rotate-secret <client> <id> --finish',
  'clients webhook reseal',
  'webhooks resend <webhook start> --from <time>',
  'webhooks skip <webhook start> --before <time> --yes',
  'webhooks skip <webhook start> --message <id> --yes',
  'webhooks enable <webhook start>',
  'webhooks disable <webhook start>',
  'tokens revoke <token> --yes',
  'tokens revoke --client <client> --yes',
  'tokens label <token> <text>',
  'tokens label <token> --none',
  'tokens expire <token> --at <day>',
  'tokens expire <token> --never',
  'dead-letters resend <letter start> <letter start>',
  'dead-letters resend --all',
  'halt <event> --reason <why> --for <halt time>',
  'halt --competition <competition> --reason <why>',
  'halt --all --reason <why>',
  'resume <event> --reason <why>',
  'resume --competition <competition> --reason <why>',
  'resume --all --reason <why>',
  'end <event> --reason <why> --yes',
  'position <processor> <partition> <offset> --yes --accept-state',
  'rebuild <processor> --yes --lose <count>',
  'replay --into <prefix> --replace --yes --source <source> --from <moment> --gaps <factor> --partitions <count>',
  'replay --into <prefix> --to <moment> --for-switch',
  'replay --into <prefix> --copy',
  'topics --replication-factor <count> --min-in-sync <count> --partitions <count>',
];

/** The other actions. */
const READS: readonly string[] = [
  'demo',
  'up',
  'doctor',
  'tail match-state',
  'live',
  'match 7',
  'export states',
  'alerts --rules x',
  'clients list',
  'clients show 7',
  'clients webhook test 7 a',
  'webhooks list',
  'webhooks undelivered a1b2',
  'tokens list',
  'dead-letters list',
  'dead-letters show a1b2',
  'position match-processor',
  'rebuild match-processor',
  'compare a. b.',
  'rules check x',
  'topics --print',
  'acls --print',
  'completion bash',
];

/** Splits an order into its words and arguments; a kind may have a space. */
const partsOf = (order: string): string[] => order.match(/<[^>]+>|\S+/g) ?? [];
const validArgument = (part: string): string => KINDS[part]?.valid ?? part;

/** Each order with one argument replaced by a wrong one. */
const WRONG = ORDERS.flatMap((order) => {
  const parts = partsOf(order);
  return parts.flatMap((part, at) =>
    (part in KINDS ? ['', ...(KINDS[part]?.wrong ?? [])] : []).map((wrong) => [
      ...parts.slice(0, at).map(validArgument),
      wrong,
      ...parts.slice(at + 1).map(validArgument),
    ]),
  );
});

describe('an order', () => {
  test.each(ORDERS)('asks for a broker once its arguments are valid: %s', async (order) => {
    const args = partsOf(order).map(validArgument);
    const { err, code } = await touchlineHere(args, NO_BROKER);
    expect(code, err).toBe(1);
    expect(err).toContain('no broker: ');
  });

  test.each(WRONG)('refuses %j', async (...args) => {
    const { code, out, err } = await touchlineHere(args, NO_BROKER);
    expect({ code, out }, err).toEqual({ code: 2, out: '' });
  });

  test('is each action that changes something, and no other', async () => {
    const parsed = async ([name = '', ...args]: readonly string[]) => {
      const { action, isOrder } = parseArguments(await loadCommand(name), args);
      return { action: `${name} ${action}`.trim(), isOrder };
    };
    const orders = await Promise.all(ORDERS.map((line) => parsed(partsOf(line).map(validArgument))));
    const reads = await Promise.all(READS.map((line) => parsed(line.split(' '))));
    expect(orders.filter(({ isOrder }) => !isOrder)).toEqual([]);
    expect(reads.filter(({ isOrder }) => isOrder)).toEqual([]);
    const known = new Set([...orders, ...reads].map(({ action }) => action));
    const names = Object.keys(SUMMARIES);
    const all = await Promise.all(names.map(async (name) => actionsOf(name, await loadCommand(name))));
    expect([...known].sort()).toEqual(all.flat().sort());
  });
});

function actionsOf(name: string, { commands }: CommandUnknownOpts): string[] {
  return commands.length === 0 ? [name] : commands.flatMap((one) => actionsOf(`${name} ${one.name()}`, one));
}

const TOKEN = '0123456789abcdef';
const HOOK = 'clients webhook add 3 --url https://a.example/';

test.each([
  ['clients contract 3', 'name --competitions, --operations or --may-halt'],
  [`${HOOK} --format slack --types incident`, 'leave --types out'],
  [`${HOOK} --format slack --template body.json`, 'go together'],
  [`${HOOK} --format template`, 'go together'],
  [`${HOOK} --latest-only --types incident`, 'none is selected'],
  [`${HOOK} --secret s3cret`, 'use --secret-file'],
  ['dead-letters resend', 'name letters by their ids'],
  ['dead-letters resend abcd --all', 'name letters by their ids'],
  ['export states --from 2026-11-21T18:00:00Z --to 2026-11-21T18:00:00Z', '--from must be before --to'],
  ['match 1 --json --follow', 'cannot be used with'],
  ['position match-processor 1', 'name partitions and one offset'],
  ['position match-processor --yes', 'go with a partition and an offset'],
  ['replay --into rebuilt. --yes', '--yes goes with --replace'],
  [
    'replay --into rebuilt. --from 2026-11-22T00:00:00Z --to 2026-11-21T00:00:00Z',
    '--from must be before --to',
  ],
  ['replay --into rebuilt. --copy --source raw', 'cannot be used with'],
  ['tail match-state match-incident', 'match-incidents'],
  ['tail match-state --since 1h --from-beginning', 'cannot be used with'],
  ['tail match-state --since 2126-01-01T00:00:00Z', 'It is in the future'],
  ['tail match-state --offset 5', '--offset goes with --partition'],
  ['tokens revoke', 'name one token by its id'],
  [`tokens revoke ${TOKEN} --client 7`, 'name one token by its id'],
  [`tokens label ${TOKEN}`, 'add a label, or --none'],
  [`tokens label ${TOKEN} x --none`, 'add a label, or --none'],
  [`tokens label ${TOKEN} ${'x'.repeat(257)}`, 'at most 256 characters'],
  [`tokens expire ${TOKEN}`, 'add --at <time> or --never'],
  [`tokens expire ${TOKEN} --at 2027-01-31 --never`, 'cannot be used with'],
  ['webhooks skip a1b2', 'add --before and a time'],
  ['webhooks skip a1b2 --before 1h --message m', 'cannot be used with'],
  ['webhooks undelivered a1b2 --limit 0', 'It must be a whole number from 1'],
])('refuses `touchline %s`', async (line, problem) => {
  const { code, out, err } = await touchlineHere(line.split(' '), NO_BROKER);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(problem);
});

test('takes all in place of a list', async () => {
  const line = ['contract', '3', '--competitions', 'all', '--operations', 'events.index'];
  const given = [3, { competitions: 'all', operations: ['events.index'] }];
  expect(parseArguments(await loadCommand('clients'), line).given).toEqual(given);
});

test('does not echo a token that was given instead of its id', async () => {
  const token = `touchline_pat_${'x'.repeat(43)}`;
  const { code, err } = await touchlineHere(['tokens', 'revoke', token], NO_BROKER);
  expect(code).toBe(2);
  expect(err).not.toContain(token);
});
