import { expect, test } from 'vitest';
import { readDelivery } from './delivery.ts';
import { logDelivery } from './delivery-log.ts';
import { CONTEXT, incidentMessage } from './testing/messages.ts';

type Line = { readonly level: string; readonly fields: object; readonly message: string };

function linesOf(body: unknown, level: 'debug' | 'info', named: readonly string[] = []): Line[] {
  const lines: Line[] = [];
  const write = (of: string) => (fields: object, message: string) =>
    lines.push({ level: of, fields, message });
  const log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    isLevelEnabled: (wanted: string) => wanted !== 'debug' || level === 'debug',
  };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const context = { origin: 'webhook', service: 'webhook-receiver', receivedAt: CONTEXT.receivedAt } as const;
  logDelivery(log, readDelivery(Buffer.from(text), context), new Set(named));
  return lines;
}

test('logs every message of a delivery at debug, and none of them at info', () => {
  const body = [incidentMessage({ id: 1 }), incidentMessage({ id: 2 })];
  const names = body.map(({ id }) => ({ message_id: String(id), delivery_id: expect.any(String) }));
  expect(linesOf(body, 'debug').map(({ fields }) => fields)).toMatchObject(names);
  expect(linesOf(body, 'info')).toEqual([]);
});

const bad = { type: 'incident' };

test.each([
  ['a message that cannot be normalized', [{ ...bad, id: 'm-7' }], 'm-7'],
  ['one of several', [{ ...bad, uuid: 'm-8' }, bad], 'm-8'],
  ['a body that is no JSON', 'no json', null],
])('logs a dead letter with the id of its message: %s', (_, body, id) => {
  expect(linesOf(body, 'info')[0]).toMatchObject({
    level: 'warn',
    fields: { message_id: id, delivery_id: expect.any(String), code: expect.any(String) },
  });
});

test('logs an unread field by its path, once', () => {
  const odd = (id: number, important: string) => incidentMessage({ id }, { important });
  const body = [odd(3, 'hunter2'), odd(4, 'odd')];
  const lines = linesOf(body, 'info', ['incident.for']);
  const fields = { path: 'incident.important', message_id: '3', event_id: 7000001 };
  expect(lines).toMatchObject([{ level: 'warn', fields }]);
  expect(JSON.stringify(lines)).not.toContain('hunter2');
  expect(linesOf(body, 'info', ['incident.important'])).toEqual([]);
});
