import { describe, expect, test } from 'vitest';
import { judgeWebhooks } from './webhook-rules.ts';

describe('webhooks of clients', () => {
  const since = 1_790_000_000_000;
  const webhook = (change: object) => ({
    id: 'abc',
    clientId: 1,
    active: true,
    isUnopened: false,
    progress: {
      disabled: null,
      attempts: 0,
      failing_since: null,
      last_outcome: 'accepted',
      last_reason: null,
      ...change,
    },
  });
  const FAILING = { attempts: 3, failing_since: since, last_outcome: 'timeout' };

  test.each([
    ['none', [], ['ok']],
    ['one that is delivered', [webhook({})], ['ok']],
    ['one that no dispatcher has seen', [{ ...webhook({}), progress: null }], ['ok']],
    ['one that fails', [webhook(FAILING)], ['warning']],
    ['one that is disabled as it failed', [webhook({ disabled: 'failing', attempts: 9 })], ['failed']],
    ['one that an operator disabled', [webhook({ disabled: 'operator' })], ['warning']],
    ['one that no key opens', [{ ...webhook({}), isUnopened: true, progress: null }], ['failed']],
    ['one of a disabled client', [{ ...webhook({ attempts: 3 }), active: false }], ['ok']],
  ])('are judged as `webhooks list` shows them: %s', (_, webhooks, statuses) => {
    const findings = judgeWebhooks(webhooks);
    expect(findings.map(({ status }) => status)).toEqual(statuses);
    for (const { status, advice } of findings) expect(advice === null).toBe(status === 'ok');
  });

  test.each([
    ['CERT_HAS_EXPIRED', 'it has expired'],
    ['CERT_NOT_YET_VALID', 'it is not valid yet'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'it is for another name'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'no trusted authority vouches for it'],
  ])('name the fault of a receiver’s certificate: %s', (last_reason, fault) => {
    const failing = { ...FAILING, last_outcome: 'failed', last_reason };
    for (const change of [failing, { ...failing, attempts: 0, disabled: 'failing' }])
      expect(judgeWebhooks([webhook(change)])[0]?.message).toContain(
        `ended as failed ${last_reason}: the certificate of its receiver is refused, as ${fault}`,
      );
  });

  test('are counted where many have the same fault', () => {
    const sealed = { ...webhook({}), isUnopened: true, progress: null };
    const many = Array.from({ length: 1_000 }, (_, at) => (at % 2 === 0 ? webhook(FAILING) : sealed));
    const other = webhook({ ...FAILING, last_outcome: 'status', last_reason: '503' });
    expect(judgeWebhooks([...many, other])).toMatchObject([
      { status: 'warning', message: expect.stringContaining('the last ended as timeout') },
      { status: 'warning', message: '499 more webhooks fail (timeout)' },
      { status: 'failed', message: expect.stringContaining('is sealed with another key') },
      { status: 'failed', message: '499 more webhooks are sealed with another key' },
      { status: 'warning', message: expect.stringMatching(/3 attempts, the last ended as status 503$/) },
    ]);
  });
});
