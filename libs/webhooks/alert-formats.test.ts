import { describe, expect, test } from 'vitest';
import type { Alert } from '#records/types.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { alertBody, checkTemplate } from './alert-formats.ts';

const SECRET = 'k'.repeat(32);
const ALERT: Alert = { ...sampleOf('alerts'), name: 'A & <B> - "C"', reasons: [] };

function bodyOf(format: string, change: Partial<Alert> = {}, template: string | null = null) {
  return JSON.parse(alertBody({ ...ALERT, ...change }, { format, template, secret: SECRET }));
}

test('writes a message of Slack, in which a name is no markup', () => {
  expect(bodyOf('slack')).toEqual({
    text: 'GOAL  A &amp; &lt;B&gt; - "C"  0:0 -> 1:0  A. Griezmann (France) 45+2′'.replace('->', '-&gt;'),
  });
});

test('writes a card of Teams, whose text takes no markup', () => {
  const { attachments } = bodyOf('teams');
  const contentType = 'application/vnd.microsoft.card.adaptive';
  const body = [{ type: 'RichTextBlock', inlines: [{ type: 'TextRun' }] }];
  expect(attachments).toMatchObject([{ contentType, content: { body } }]);
  expect(attachments[0].content.body[0].inlines[0].text).toContain('A & <B> - "C"');
});

describe('an event of PagerDuty', () => {
  test('has the key, the summary and the alert', () => {
    expect(bodyOf('pagerduty')).toMatchObject({
      routing_key: SECRET,
      event_action: 'trigger',
      dedup_key: `touchline/${ALERT.id}`,
      payload: { severity: 'info', custom_details: ALERT },
    });
    expect(bodyOf('pagerduty', { name: 'x'.repeat(3_000) }).payload.summary).toHaveLength(1_024);
  });

  test.each([
    ['match_stale', 'match_recovered'],
    ['match_halted', 'match_resumed'],
    ['guard_closed', 'guard_opened'],
    ['score_differs', 'score_agrees'],
  ])('is resolved where the condition ends: %s, %s', (begins, ends) => {
    const [begun, ended] = [begins, ends].map((kind) => bodyOf('pagerduty', { kind }));
    expect([begun.event_action, ended.event_action]).toEqual(['trigger', 'resolve']);
    expect(ended.dedup_key).toBe(begun.dedup_key);
    expect(bodyOf('pagerduty', { kind: begins, event_id: 9 }).dedup_key).not.toBe(begun.dedup_key);
  });
});

test('fills a template: a text that is one placeholder becomes the value, others are joined', () => {
  const template = JSON.stringify({
    message: '{{text}}',
    match: '{{event_id}}',
    line: '{{ name }}: {{reasons}} {{incident_id}}',
    list: ['{{score}}', 7, null],
  });
  expect(bodyOf('template', { incident_id: null }, template)).toEqual({
    message: expect.stringContaining('GOAL'),
    match: ALERT.event_id,
    line: 'A & <B> - "C": [] ',
    list: [ALERT.score, 7, null],
  });
});

test.each([
  ['no JSON', '{"a": {{event_id}}}', 'a template is a JSON object'],
  ['a text', '"{{text}}"', 'a template is a JSON object'],
  [
    'a field that alerts do not have',
    '{"a": "{{constructor}} {{nope}}"}',
    'alerts have no field constructor, nope',
  ],
  ['too many characters', JSON.stringify({ a: 'x'.repeat(9_000) }), 'at most 8192 characters'],
])('refuses a template with %s', (_, template, message) => {
  expect(() => checkTemplate(template)).toThrow(message);
});
