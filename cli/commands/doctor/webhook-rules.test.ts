import { describe, expect, test } from 'vitest';
import { judgeWebhooks } from './webhook-rules.ts';

describe('webhooks of clients', () => {
  const since = 1_790_000_000_000;
  const webhook = (change: object) => ({
    id: 'abc',
    clientId: 1,
    active: true,
    progress: { disabled: null, attempts: 0, failing_since: null, last_outcome: 'accepted', ...change },
  });

  test.each([
    ['none', [], ['ok']],
    ['one that is delivered', [webhook({})], ['ok']],
    ['one that no dispatcher has seen', [{ ...webhook({}), progress: null }], ['ok']],
    [
      'one that fails',
      [webhook({ attempts: 3, failing_since: since, last_outcome: 'timeout' })],
      ['warning'],
    ],
    ['one that is disabled as it failed', [webhook({ disabled: 'failing', attempts: 9 })], ['failed']],
    ['one that an operator disabled', [webhook({ disabled: 'operator' })], ['warning']],
    ['one of a disabled client', [{ ...webhook({ attempts: 3 }), active: false }], ['ok']],
  ])('are judged as `webhooks list` shows them: %s', (_, webhooks, statuses) => {
    const findings = judgeWebhooks(webhooks);
    expect(findings.map(({ status }) => status)).toEqual(statuses);
    for (const { status, advice } of findings) expect(advice === null).toBe(status === 'ok');
  });
});
