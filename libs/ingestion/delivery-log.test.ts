import { expect, test } from 'vitest';
import { readDelivery } from './delivery.ts';
import { logDelivery } from './delivery-log.ts';
import { incidentMessage } from './testing/messages.ts';

type Line = { readonly level: string; readonly fields: object; readonly message: string };

function linesOf(body: unknown, level: 'debug' | 'info'): Line[] {
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
  const context = { origin: 'webhook', service: 'webhook-receiver', receivedAt: 1 } as const;
  logDelivery(log, readDelivery(Buffer.from(text), context));
  return lines;
}

test('logs every message of a delivery at debug, and none of them at info', () => {
  const body = [incidentMessage({ id: 1 }), incidentMessage({ id: 2 })];
  const names = body.map(({ id }) => ({ message_id: String(id), delivery_id: expect.any(String) }));
  expect(linesOf(body, 'debug').map(({ fields }) => fields)).toMatchObject(names);
  expect(linesOf(body, 'info')).toEqual([]);
});

test.each([
  ['a message that cannot be normalized', [{ id: 'm-7', type: 'incident' }], 'm-7'],
  [
    'one of several',
    [
      { uuid: 'm-8', type: 'incident' },
      { id: 9, type: 'incident' },
    ],
    'm-8',
  ],
  ['a body that is no JSON', 'no json', null],
])('logs a dead letter with the id of its message: %s', (_, body, id) => {
  expect(linesOf(body, 'info')[0]).toMatchObject({
    level: 'warn',
    fields: { message_id: id, delivery_id: expect.any(String), code: expect.any(String) },
  });
});
