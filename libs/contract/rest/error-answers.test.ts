import { connect } from 'node:net';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { answerErrors, restServerOptions } from './error-answers.ts';
import { REST_ERRORS, RestError, type RestErrorCode } from './errors.ts';

const NOW = 1_790_000_000.9;
const VERSION = '2.1.3';

function server(fails: unknown) {
  const failures: unknown[] = [];
  const app = fastify(restServerOptions(VERSION, () => NOW));
  onTestFinished(() => app.close());
  answerErrors(app, { now: () => NOW, version: VERSION, onFailure: (error) => failures.push(error) });
  app.get('/v2/:id', async () => {
    throw fails;
  });
  return { app, failures };
}

const failedWith = (statusCode: number): Error => Object.assign(new Error('secret'), { statusCode });

test.each<[unknown, RestErrorCode]>([
  ...(Object.keys(REST_ERRORS) as RestErrorCode[]).map((code): [unknown, RestErrorCode] => [
    new RestError(code),
    code,
  ]),
  [failedWith(404), 'NOT_FOUND'],
  [failedWith(400), 'INVALID_PARAMETER'],
  [failedWith(499), 'INVALID_PARAMETER'],
  [failedWith(399), 'INTERNAL'],
  [failedWith(500), 'INTERNAL'],
  [Object.assign(new Error('secret'), { statusCode: '404' }), 'INTERNAL'],
  [new Error('secret'), 'INTERNAL'],
])('%s is answered as %s in the envelope, and only internal ones are reported', async (error, code) => {
  const { app, failures } = server(error);
  const response = await app.inject('/v2/1?token=abc');
  const { status, message, internalCode } = REST_ERRORS[code];
  expect(response.statusCode).toBe(status);
  expect(response.json()).toEqual({
    api: { ver: VERSION, timestamp: 1_790_000_000, error: { message, internal_code: internalCode } },
  });
  expect(response.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  });
  expect(response.headers['retry-after']).toBe(status === 503 ? '1' : undefined);
  expect(failures).toEqual(code === 'INTERNAL' ? [error] : []);
});

test.each([
  ['that was reset', 'ECONNRESET', true],
  ['that takes nothing any more', 'HPE_INVALID_METHOD', false],
])('a connection %s is destroyed without an answer', (_, code, writable) => {
  const done: string[] = [];
  const socket = { writable, destroy: () => done.push('destroy'), end: () => done.push('end') };
  const { clientErrorHandler } = restServerOptions(VERSION, () => NOW);
  clientErrorHandler?.call({} as never, Object.assign(new Error(code), { code }) as never, socket as never);
  expect(done).toEqual(['destroy']);
});

test('answers a request that is not HTTP in the envelope, and closes the connection', async () => {
  const { app } = server(null);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  const answer = await new Promise<string>((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
    socket.on('data', (part) => {
      text += part;
    });
    socket.on('close', () => resolve(text));
  });
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
  expect(body.api).toMatchObject({ ver: VERSION, timestamp: 1_790_000_000, error: { internal_code: 13 } });
});
