import { describe, expect, test } from 'vitest';
import { AnswerError, clientIdIn, requestUrl, tokenUrl } from './client.ts';
import { NOW, testServer } from './testing/world.ts';

const BASE = 'https://provider.example';

const envelope = (data: unknown, method: object = {}) => ({
  api: { ver: '2.125', timestamp: NOW, method: { name: 'any', total_items: '', ...method }, data },
});
const TOKEN = { client_id: '7', token: 't', token_expiration: NOW + 3_600 };

describe('a URL', () => {
  test('contains the id and the token', () => {
    const request = { operation: 'events.incidents', id: 7, query: { deleted: 'no', limit: 500 } } as const;
    expect(requestUrl(BASE, request, 'se/cret')).toBe(
      `${BASE}/v2/events/7/incidents?deleted=no&limit=500&token=se%2Fcret`,
    );
  });

  test('of the token operation contains the credentials', () => {
    expect(tokenUrl(BASE, '1', 'a&b')).toBe(`${BASE}/v2/oauth?client_id=1&secret_key=a%26b`);
  });
});

describe('an answer of the token operation', () => {
  test('of our server has the client id', async () => {
    const response = await testServer().get('/v2/oauth?client_id=1&secret_key=open%20sesame');
    expect(clientIdIn(response.json())).toBe('1');
  });

  test.each(['', null, undefined, '12', 12])('may have %j as its total', (total_items) => {
    expect(clientIdIn(envelope(TOKEN, { total_items }))).toBe('7');
  });

  test.each([null, 'html', 7, [], {}, { api: {} }, { api: { data: {} } }])(
    'is not an envelope: %j',
    (json) => {
      expect(() => clientIdIn(json)).toThrow(expect.objectContaining({ code: 'NOT_AN_ENVELOPE' }));
    },
  );

  test('with data of another shape is rejected with the paths of the fields, without values', () => {
    const parse = () => clientIdIn(envelope({ ...TOKEN, token: 7, token_expiration: 'se-cret' }));
    expect(parse).toThrow(AnswerError);
    expect(parse).toThrow(/^the answer of oauth .* at token, token_expiration$/);
    expect(parse).not.toThrow(/se-cret/);
    expect(parse).toThrow(expect.objectContaining({ name: 'AnswerError', code: 'UNEXPECTED_DATA' }));
    expect(() => clientIdIn(envelope(null))).toThrow(/ at the whole$/);
  });
});
