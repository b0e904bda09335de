import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLogger } from './logger.ts';

const START = 'an-actual';
const REST = '-secret-of-32-characters';
const SECRET = `${START}${REST}`;
const HIDDEN = 'hidden-value';
const PAT = `touchline_pat_${HIDDEN}`;

function capture(write: (logger: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = [];
  const stream = { write: (line: string) => lines.push(line) };
  write(createLogger({ name: 'test', level: 'trace', secrets: [START, SECRET], stream }));
  return lines.join('');
}

test('writes one JSON object per line, with name, level and message', () => {
  const [first, second, rest] = capture((logger) => {
    logger.info({ port: 1 }, 'listening');
    logger.warn('odd');
  }).split('\n');
  expect(JSON.parse(first ?? '')).toMatchObject({ name: 'test', level: 30, port: 1, msg: 'listening' });
  expect(JSON.parse(second ?? '')).toMatchObject({ level: 40, msg: 'odd' });
  expect(rest).toBe('');
});

test.each<[string, (log: ReturnType<typeof createLogger>) => void]>([
  ['a secret in the message', (log) => log.info(`using ${SECRET}`)],
  ['a secret under any key', (log) => log.info({ config: { list: [{ x: SECRET }] } }, 'config')],
  ['an access token anywhere', (log) => log.info({ x: `got ${PAT}` }, PAT)],
  ['an error', (log) => log.error(new Error(`cannot use ${SECRET}`))],
  ['the cause of an error', (log) => log.error({ err: new Error('outer', { cause: new Error(SECRET) }) })],
  ['a child logger', (log) => log.child({ secret: HIDDEN }).info({ deep: { Authorization: HIDDEN } })],
  ['keys that name a secret', (log) => log.info({ a: { b: { client_secret: HIDDEN, tokens: [HIDDEN] } } })],
  ['headers', (log) => log.info({ headers: { authorization: `Bearer ${HIDDEN}`, Cookie: HIDDEN } })],
  ['a bearer token in text', (log) => log.info(`sent Authorization: Bearer ${HIDDEN} to it`)],
  ['a token in an address', (log) => log.info({ url: `http://x/v2/events?page=1&token=${HIDDEN}&limit=5` })],
  ['a key in an address', (log) => log.error(new Error(`GET /v2/oauth?client_id=1&secret_key=${HIDDEN}`))],
])('does not log %s', (_, write) => {
  const text = capture(write);
  expect(text).toContain('[redacted]');
  expect(text).not.toContain(REST);
  expect(text).not.toContain(HIDDEN);
});

test('leaves everything else unchanged', () => {
  const fields = { event_id: 5, url: 'http://x/?page=1', tokenized: 'yes', nothing: null };
  expect(JSON.parse(capture((log) => log.info(fields, 'ok')))).toMatchObject(fields);
});

test.runIf(process.platform === 'linux')('a log whose disk is full does not end the process', () => {
  const script = `
    const { createLogger } = await import(process.argv[1]);
    const log = createLogger({ name: 'test', level: 'info' });
    for (let line = 0; line < 5_000; line++) log.info('x'.repeat(1_000));
    console.log('continues');
  `;
  const args = ['--input-type=module', '--eval', script, join(import.meta.dirname, 'logger.ts')];
  const full = openSync('/dev/full', 'w');
  const { status, stdout } = spawnSync(process.execPath, args, { stdio: ['ignore', 'pipe', full] });
  closeSync(full);
  expect([status, String(stdout)]).toEqual([0, 'continues\n']);
});
