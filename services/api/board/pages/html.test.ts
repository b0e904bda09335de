import { expect, test } from 'vitest';
import { html, timeOf } from './html.ts';

test('what is inserted is text, in elements and in attributes', () => {
  const hostile = `<script>alert("x")</script>' onload='&`;
  const shown = '&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&#39; onload=&#39;&amp;';
  expect(String(html`<b title="${hostile}">${hostile}</b>`)).toBe(`<b title="${shown}">${shown}</b>`);
});

test('keeps markup within markup, and renders lists item by item', () => {
  const items = ['a', '<'].map((item) => html`<li>${item}</li>`);
  expect(String(html`<ul>${items}</ul>`)).toBe('<ul><li>a</li><li>&lt;</li></ul>');
});

test('renders nothing for null and false, but 0 as 0', () => {
  expect(String(html`${null}${false}${0}`)).toBe('0');
});

const NOW = 1_790_000_000;

test.each([
  ['today', NOW - 60, '<time datetime="2026-09-21T14:12:20.000Z">14:12:20</time>'],
  ['outside the calendar as its number', 2 ** 53 - 2, String(2 ** 53 - 2)],
])('renders a time of the provider that is %s', (_, ut, shown) => {
  expect(String(timeOf(ut, NOW))).toBe(shown);
});
