import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLogger } from './logger.ts';

const SECRET = 'an-actual-secret-of-32-characters';

function capture(write: (logger: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = [];
  write(
    createLogger({
      name: 'test',
      level: 'trace',
      secrets: [SECRET],
      stream: { write: (line: string) => lines.push(line) },
    }),
  );
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

test.each([
  ['a secret in the message', (log: ReturnType<typeof createLogger>) => log.info(`using ${SECRET}`)],
  ['a secret under any key', (log) => log.info({ config: { list: [{ x: SECRET }] } }, 'config')],
  [
    'an access token anywhere',
    (log) => log.info({ x: 'got touchline_pat_hidden-value' }, 'touchline_pat_hidden-value'),
  ],
  ['an error', (log) => log.error(new Error(`cannot use ${SECRET}`))],
  ['the cause of an error', (log) => log.error({ err: new Error('outer', { cause: new Error(SECRET) }) })],
  [
    'a child logger',
    (log) => log.child({ secret: 'hidden-value' }).info({ deep: { Authorization: 'hidden-value' } }),
  ],
  [
    'keys that name a secret',
    (log) => log.info({ a: { b: { client_secret: 'hidden-value', tokens: ['hidden-value'] } } }),
  ],
  [
    'headers',
    (log) => log.info({ headers: { authorization: 'Bearer hidden-value', Cookie: 'hidden-value' } }),
  ],
  ['a bearer token in text', (log) => log.info('sent Authorization: Bearer hidden-value to it')],
  [
    'a token in an address',
    (log) => log.info({ url: 'http://x/v2/events?page=1&token=hidden-value&limit=5' }),
  ],
  [
    'a secret key in an address',
    (log) => log.error(new Error('GET /v2/oauth?client_id=1&secret_key=hidden-value')),
  ],
] satisfies [string, (logger: ReturnType<typeof createLogger>) => void][])('does not log %s', (_, write) => {
  const text = capture(write);
  expect(text).toContain('[redacted]');
  expect(text).not.toContain(SECRET);
  expect(text).not.toContain('hidden-value');
});

test('leaves everything else unchanged', () => {
  const text = capture((log) =>
    log.info({ event_id: 5, url: 'http://x/?page=1', tokenized: 'yes', nothing: null }, 'ok'),
  );
  expect(JSON.parse(text)).toMatchObject({
    event_id: 5,
    url: 'http://x/?page=1',
    tokenized: 'yes',
    nothing: null,
  });
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
