import { expect, test } from 'vitest';
import { MAX_LABEL } from '#clients/access-tokens.ts';
import { MAX_SECRET_BYTES, parseExchange } from './request.ts';

const JSON_TYPE = 'application/json';
const RIGHT = { client_id: '7', secret_key: 's3' };
const READ = { clientId: '7', secretKey: 's3', label: null };
const INVALID = expect.objectContaining({ code: 'INVALID_LABEL' });
const MISSING = expect.objectContaining({ code: 'MISSING_FIELDS' });
const parse = (body: unknown, type = JSON_TYPE) => parseExchange(type, Buffer.from(JSON.stringify(body)));

test.each<[string, object, object?]>([
  ['client_id and secret_key', RIGHT],
  ['the alias client_secret', { client_id: '7', client_secret: 's3' }],
  ['secret_key before its alias', { ...RIGHT, client_secret: 'other' }],
  ['the alias of an empty secret_key', { client_id: '7', secret_key: '', client_secret: 's3' }],
  ['the alias of a null secret_key', { client_id: '7', secret_key: null, client_secret: 's3' }],
  ['secret_key beside an empty alias', { ...RIGHT, client_secret: '' }],
  ['further fields', { ...RIGHT, grant_type: 'client_credentials' }],
  ['an empty label', { ...RIGHT, label: '' }, { label: '' }],
  ['a label', { ...RIGHT, label: 'desk' }, { label: 'desk' }],
])('reads %s', (_, body, more = {}) => {
  expect(parse(body)).toEqual({ ...READ, ...more });
});

test.each(['x', '⚽', '🥅'])('reads a label of 256 characters %s, and none of 257', (character) => {
  const label = character.repeat(MAX_LABEL);
  expect(parse({ ...RIGHT, label }).label).toBe(label);
  expect(() => parse({ ...RIGHT, label: label + character })).toThrow(INVALID);
});

test.each([null, 7, true, [], {}, '\ud800'])('invalid_label where it is %j', (label) => {
  expect(() => parse({ ...RIGHT, label })).toThrow(INVALID);
});

const NO_TEXT = [undefined, null, '', 7, ['7'], { id: '7' }, true];

test.each<[string, unknown]>([
  ...NO_TEXT.map((value): [string, unknown] => ['client_id', { ...RIGHT, client_id: value }]),
  ...NO_TEXT.map((value): [string, unknown] => ['secret_key', { client_id: '7', secret_key: value }]),
  ...NO_TEXT.map((value): [string, unknown] => ['client_secret', { client_id: '7', client_secret: value }]),
  ['both secrets', { client_id: '7', secret_key: '', client_secret: null }],
  ['all but an invalid label, which is checked after the others', { label: 7 }],
  ['an object', '7'],
  ['an object', [RIGHT]],
  ['an object', null],
])('missing_fields without %s: %j', (_, body) => {
  expect(() => parse(body)).toThrow(MISSING);
});

test.each([
  ['nothing', ''],
  ['half of JSON', '{"client_id":"7"'],
  ['a form', 'client_id=7&secret_key=s3'],
  ['fields of a prototype', '{"__proto__":{"client_id":"7","secret_key":"s3"}}'],
  ['not UTF-8', Buffer.from('{"client_id":"7","secret_key":"\xff"}', 'latin1')],
])('missing_fields where the body is %s', (_, body) => {
  expect(() => parseExchange(JSON_TYPE, Buffer.from(body))).toThrow(MISSING);
});

test('a secret fits into the URL of the upstream, also one that is no well-formed text', () => {
  expect(() => encodeURIComponent(parse({ ...RIGHT, secret_key: '\ud800' }).secretKey)).not.toThrow();
  expect(encodeURIComponent('€'.repeat(MAX_SECRET_BYTES / 3)).length).toBeLessThan(13_000);
});

test.each(['application/json; charset=utf-8', 'Application/JSON;charset=UTF-8'])(
  'takes Content-Type %s',
  (type) => expect(parse(RIGHT, type)).toEqual(READ),
);

test.each(['', 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'text/json'])(
  'missing_fields where Content-Type is %j',
  (type) => {
    expect(() => parse(RIGHT, type)).toThrow(MISSING);
  },
);
