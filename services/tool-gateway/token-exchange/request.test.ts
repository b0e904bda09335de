import { describe, expect, test } from 'vitest';
import { MAX_LABEL } from '#clients/access-tokens.ts';
import { MAX_SECRET_BYTES, parseExchange } from './request.ts';

const JSON_TYPE = 'application/json';
const bytes = (text: string): Uint8Array => Buffer.from(text);
const parse = (body: unknown, type: string | undefined = JSON_TYPE) =>
  parseExchange(type, bytes(JSON.stringify(body)));
const RIGHT = { client_id: '7', secret_key: 's3' };

describe('client_id', () => {
  test('is a text and required', () => {
    expect(parse(RIGHT)).toEqual({ clientId: '7', secretKey: 's3', label: null });
  });

  test.each([undefined, null, '', 7, ['7'], { id: '7' }, true])(
    'missing_fields where it is %j',
    (client_id) => {
      expect(() => parse({ ...RIGHT, client_id })).toThrow(
        expect.objectContaining({ code: 'MISSING_FIELDS' }),
      );
    },
  );
});

describe('secret_key', () => {
  test('alias client_secret', () => {
    expect(parse({ client_id: '7', client_secret: 's3' }).secretKey).toBe('s3');
  });

  test('takes precedence over its alias', () => {
    expect(parse({ ...RIGHT, client_secret: 'other' }).secretKey).toBe('s3');
  });

  test.each(['', null])('is missing where it is %j: the alias is used', (secret_key) => {
    expect(parse({ client_id: '7', secret_key, client_secret: 's3' }).secretKey).toBe('s3');
    expect(parse({ ...RIGHT, client_secret: secret_key }).secretKey).toBe('s3');
    expect(() => parse({ client_id: '7', secret_key, client_secret: secret_key })).toThrow(
      expect.objectContaining({ code: 'MISSING_FIELDS' }),
    );
  });

  test.each([undefined, null, '', 5, ['s3']])('missing_fields where it is %j', (secret) => {
    for (const name of ['secret_key', 'client_secret'])
      expect(() => parse({ client_id: '7', [name]: secret })).toThrow(
        expect.objectContaining({ code: 'MISSING_FIELDS' }),
      );
  });
});

describe('label', () => {
  test.each(['', 'desk', 'x'.repeat(MAX_LABEL), '⚽'.repeat(MAX_LABEL), '🥅'.repeat(MAX_LABEL)])(
    'at most 256 characters: %j',
    (label) => expect(parse({ ...RIGHT, label }).label).toBe(label),
  );

  test.each([null, 7, true, [], {}, 'x'.repeat(MAX_LABEL + 1), '🥅'.repeat(MAX_LABEL + 1), '\ud800'])(
    'invalid_label where it is %j',
    (label) => {
      expect(() => parse({ ...RIGHT, label })).toThrow(expect.objectContaining({ code: 'INVALID_LABEL' }));
    },
  );

  test('is checked after the required fields', () => {
    expect(() => parse({ label: 7 })).toThrow(expect.objectContaining({ code: 'MISSING_FIELDS' }));
  });
});

describe('body', () => {
  test.each([
    ['nothing', ''],
    ['half of JSON', '{"client_id":"7"'],
    ['a text', '"7"'],
    ['an array', '[{"client_id":"7","secret_key":"s3"}]'],
    ['null', 'null'],
    ['a form', 'client_id=7&secret_key=s3'],
    ['fields of a prototype', '{"__proto__":{"client_id":"7","secret_key":"s3"}}'],
  ])('missing_fields where it is %s', (_, text) => {
    expect(() => parseExchange(JSON_TYPE, bytes(text))).toThrow(
      expect.objectContaining({ code: 'MISSING_FIELDS' }),
    );
  });

  test('missing_fields where it is not UTF-8', () => {
    const body = Buffer.concat([bytes('{"client_id":"7","secret_key":"'), Buffer.of(0xff), bytes('"}')]);
    expect(() => parseExchange(JSON_TYPE, body)).toThrow(expect.objectContaining({ code: 'MISSING_FIELDS' }));
  });

  test('may have further fields', () => {
    expect(parse({ ...RIGHT, grant_type: 'client_credentials' }).clientId).toBe('7');
  });

  test('credentials that are no well-formed text cannot break the URL of the upstream', () => {
    expect(() => encodeURIComponent(parse({ ...RIGHT, secret_key: '\ud800' }).secretKey)).not.toThrow();
  });

  test('the longest secret fits into a URL', () => {
    expect(encodeURIComponent('€'.repeat(MAX_SECRET_BYTES / 3)).length).toBeLessThan(13_000);
  });
});

describe('Content-Type: application/json', () => {
  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset=UTF-8'])(
    'takes %s',
    (type) => expect(parse(RIGHT, type).clientId).toBe('7'),
  );

  test.each(['', 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'text/json'])(
    'missing_fields where it is %j',
    (type) => {
      expect(() => parse(RIGHT, type)).toThrow(expect.objectContaining({ code: 'MISSING_FIELDS' }));
    },
  );
});
