import { expect, test } from 'vitest';
import { escapeControls, guard, writeControls } from './values.ts';

test.each([
  ['moves the cursor', '\u001b[2J\u001b[H', '\\u001b[2J\\u001b[H'],
  ['retitles the window', '\u001b]0;x\u0007', '\\u001b]0;x\\u0007'],
  ['is a control character of eight bits', '\u009b2J', '\\u009b2J'],
  ['changes the reading order', 'a\u202eb\u2066c', 'a\\u202eb\\u2066c'],
  ['ends a line elsewhere', 'a\u2028b\u0085c', 'a\\u2028b\\u0085c'],
])('escapes what %s', (_, text, shown) => {
  expect(escapeControls(text)).toBe(shown);
});

test('keeps text, line ends and colours', () => {
  const text = 'Müller 1\t2\r\n\u001b[1;32mgöl ⚽ اهداف\u001b[0m';
  expect(escapeControls(text)).toBe(text);
});

test('keeps the value of JSON', () => {
  const value = { name: 'a\u202eb\u009b', other: '\u0007' };
  expect(JSON.parse(escapeControls(JSON.stringify(value)))).toEqual(value);
});

test('escapes what is written to a guarded stream, except what a screen writes', () => {
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text) > 0 };
  guard(stream);
  stream.write('\u202ea');
  writeControls(stream, '\u001b[2J');
  expect(written).toEqual(['\\u202ea', '\u001b[2J']);
});
