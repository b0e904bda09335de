/** The bodies of alerts for receivers that do not speak the contract: docs/guides/alerts.md. Pure. */

import { object } from '#domain/values.ts';
import { defineError } from '#errors/touchline-error.ts';
import { parseJson } from '#json/values.ts';
import type { Alert, WebhookSubscription } from '#records/types.ts';
import { alertText } from '#story/alerts.ts';

export const ALERT_FORMATS = ['slack', 'teams', 'pagerduty', 'template'] as const;

/** How the requests of a subscription are written. Never log `secret`: PagerDuty's routing key; of other formats not in the body. */
export type AlertForm = Pick<WebhookSubscription, 'format' | 'template'> & { readonly secret: string };

const MAX_TEMPLATE = 8_192;
const MAX_SUMMARY = 1_024;
const PLACEHOLDER = /\{\{ *([a-z_]+) *\}\}/g;
const ONLY_PLACEHOLDER = /^\{\{ *([a-z_]+) *\}\}$/;

/** Conditions that last: the alert of their end resolves PagerDuty's incident. */
const ENDS: Readonly<Record<string, string>> = {
  guard_opened: 'guard_closed',
  score_agrees: 'score_differs',
  match_recovered: 'match_stale',
  match_resumed: 'match_halted',
};

/** Thrown for a template that cannot be rendered. */
class AlertTemplateError extends defineError('AlertTemplateError', 'ALERT_TEMPLATE_INVALID') {}

/** Returns the body of a request with an alert, in a format of `ALERT_FORMATS`. */
export function alertBody(alert: Alert, form: AlertForm): string {
  return JSON.stringify(bodyOf(alert, form));
}

function bodyOf(alert: Alert, { format, template, secret }: AlertForm): unknown {
  const text = alertText(alert);
  switch (format) {
    case 'slack':
      return { text: text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') };
    case 'teams':
      return { type: 'message', attachments: [{ contentType: CARD, content: cardOf(text) }] };
    case 'pagerduty':
      return pagerDutyEvent(alert, text, secret);
    default:
      return filled(JSON.parse(template ?? '{}'), { ...alert, text });
  }
}

const CARD = 'application/vnd.microsoft.card.adaptive';

function cardOf(text: string) {
  // A run takes no Markdown, so that a name of the provider cannot make a link.
  const line = { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] };
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [line],
  };
}

function pagerDutyEvent(alert: Alert, text: string, routing_key: string) {
  const { id, rule, kind, event_id, received_at } = alert;
  const begun = ENDS[kind];
  // Conditions of a match are one incident from their begin to their end; any other alert is its own.
  const lasts = begun !== undefined || Object.values(ENDS).includes(kind);
  return {
    routing_key,
    event_action: begun === undefined ? 'trigger' : 'resolve',
    dedup_key: lasts ? `touchline/${rule}/${begun ?? kind}/${event_id}` : `touchline/${id}`.slice(0, 255),
    payload: {
      summary: text.slice(0, MAX_SUMMARY),
      source: `match ${event_id}`,
      severity: lasts ? 'warning' : 'info',
      timestamp: new Date(received_at).toISOString(),
      custom_details: alert,
    },
  };
}

/** Checks a template: JSON with placeholders such as `{{text}}` for fields of an alert. Throws `AlertTemplateError`. */
export function checkTemplate(template: string): void {
  if (template.length > MAX_TEMPLATE)
    throw new AlertTemplateError(`a template has at most ${MAX_TEMPLATE} characters, not ${template.length}`);
  const parsed = parseJson(template);
  if (object(parsed) === null && !Array.isArray(parsed))
    throw new AlertTemplateError('a template is a JSON object, such as {"message": "{{text}}"}');
  const unknown = [...template.matchAll(PLACEHOLDER)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'text' && !Object.hasOwn(SAMPLE_ALERT, name));
  if (unknown.length > 0)
    throw new AlertTemplateError(
      `alerts have no field ${unknown.join(', ')}: there are text, ${Object.keys(SAMPLE_ALERT).join(', ')}`,
    );
}

/** Returns a value with its placeholders filled: a text that is one placeholder becomes the field's value. */
function filled(value: unknown, fields: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === 'string') {
    const [, only] = ONLY_PLACEHOLDER.exec(value) ?? [];
    if (only !== undefined) return fields[only] ?? null;
    return value.replaceAll(PLACEHOLDER, (_, name: string) => textOf(fields[name]));
  }
  if (Array.isArray(value)) return value.map((item) => filled(item, fields));
  const record = object(value);
  if (record === null) return value;
  return Object.fromEntries(Object.entries(record).map(([key, item]) => [key, filled(item, fields)]));
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The alert of a test, with every field. */
export const SAMPLE_ALERT: Alert = {
  id: 'test/goal/0:1:0',
  rule: 'test',
  kind: 'goal',
  event_id: 0,
  version: 1,
  name: 'Touchline test: no match',
  competition_id: null,
  home_id: null,
  away_id: null,
  incident_id: null,
  score: { home: 1, away: 0 },
  reasons: [],
  ut: 0,
  received_at: 0,
  score_before: { home: 0, away: 0 },
  team_id: null,
  team_name: null,
  player_id: null,
  player_name: null,
  minute: null,
};
