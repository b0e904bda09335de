import { expect, test } from 'vitest';
import { bytesText, escapeLine, jsonText, readableBytes } from './values.ts';

test('renders bytes as text when they are UTF-8, else as base64', () => {
  expect(bytesText(Buffer.from('Goal: Griezmann, 18’'))).toBe('Goal: Griezmann, 18’');
  expect(bytesText(Buffer.from([0xc3, 0x28]))).toBe('wyg=');
  expect(bytesText(Buffer.alloc(0))).toBe('');
});

test('renders a value on one line, with nested bytes as text', () => {
  const list = [{ body: Buffer.from([0xff]) }];
  const value = { key: Buffer.from('a\nb'), list, none: null, big: 2 ** 53 - 1 };
  expect(jsonText(value)).toBe('{"key":"a\\nb","list":[{"body":"/w=="}],"none":null,"big":9007199254740991}');
});

test('escapes foreign bytes and text for a terminal', () => {
  expect(readableBytes(Buffer.from('{\n\t"a": 1\r\n}'))).toBe('{\n\t"a": 1\r\n}');
  expect(readableBytes(Buffer.from('\u001b[2J gone'))).toBe(Buffer.from('\u001b[2J gone').toString('base64'));
  expect(escapeLine('reason\n\u001b[31mred\u009b')).toBe('reason\\u000a\\u001b[31mred\\u009b');
  expect(escapeLine('a\u202egnp.exe\u2069\u2028')).toBe('a\\u202egnp.exe\\u2069\\u2028');
});
