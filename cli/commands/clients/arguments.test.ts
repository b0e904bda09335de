import { expect, test } from 'vitest';
import { parseArguments, UsageError } from '../../command.ts';
import { parseClients } from './arguments.ts';
import { command } from './command.ts';

const parse = (line: string) => parseClients(parseArguments(line.split(' '), command));

test.each([
  ['add', { action: 'add' }],
  ['add --id 7 --name x', { action: 'add', id: 7, name: 'x' }],
  ['add --competitions 1,2', { action: 'add', competitions: [1, 2] }],
  ['list --json', { action: 'list', json: true }],
  ['show 3', { action: 'show', id: 3, json: false }],
  ['disable 3', { action: 'disable', id: 3 }],
  ['rotate-secret 3', { action: 'rotate-secret', id: 3 }],
  ['contract 3 --competitions all', { action: 'contract', id: 3, competitions: null }],
  [
    'contract 3 --operations events.index,feed.index',
    { action: 'contract', id: 3, operations: ['events.index', 'feed.index'] },
  ],
  [
    'webhook add 3 --url https://a.example/',
    expect.objectContaining({
      action: 'webhook add',
      id: 3,
      url: 'https://a.example/',
      types: null,
      test: false,
    }),
  ],
  [
    'webhook add 3 --url https://a.example/ --types incident',
    expect.objectContaining({ types: ['incident'] }),
  ],
  [
    'webhook add 3 --url https://a.example/ --max-age-seconds 2.5 --max-delay-seconds 20',
    expect.objectContaining({ limits: { maxAgeSeconds: 2.5, maxDelaySeconds: 20 } }),
  ],
  [
    'webhook add 3 --url https://a.example/ --format template --template body.json --test',
    expect.objectContaining({ types: ['alert'], format: 'template', templateFile: 'body.json', test: true }),
  ],
  [
    'webhook rotate-secret 3 abc',
    { action: 'webhook rotate-secret', id: 3, webhookId: 'abc', finish: false },
  ],
  ['webhook test 3 abc', { action: 'webhook test', id: 3, webhookId: 'abc' }],
  ['webhook reseal', { action: 'webhook reseal' }],
  ['webhook remove 3 abc --yes', { action: 'webhook remove', id: 3, webhookId: 'abc', yes: true }],
  ['webhook remove 3 abc', { action: 'webhook remove', id: 3, webhookId: 'abc' }],
])('understands %s', (line, request) => expect(parse(line)).toEqual(request));

test.each([
  '',
  'remove 3',
  'add 3',
  'show',
  'show 3 4',
  'show 3 --name x',
  'list --nonsense',
  'contract 3',
  'webhook add 3',
  'webhook add 3 --url https://a.example/ --format slack --types incident',
  'webhook add 3 --url https://a.example/ --format slack --template body.json',
  'webhook add 3 --url https://a.example/ --format template',
  'webhook add 3 --url https://a.example/ --template body.json',
  'webhook add 3 --url https://a.example/ --max-age-seconds 21',
  'webhook add 3 --url https://a.example/ --max-delay-seconds 0',
  'webhook 3',
  'webhook remove 3',
])('refuses %j', (line) => expect(() => parse(line)).toThrow(UsageError));
