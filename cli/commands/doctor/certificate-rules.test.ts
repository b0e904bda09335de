import { describe, expect, test } from 'vitest';
import { judgeCertificate } from './certificate-rules.ts';

const DAY = 86_400_000;
const FROM = Date.UTC(2027, 0, 1);
const TO = Date.UTC(2028, 0, 1);

describe('a certificate of ours', () => {
  test.each([
    ['that is valid for long', FROM + DAY, 'ok', /^that of KAFKA_TLS_CERT_FILE expires on 2028-01-01$/],
    ['with 14 days left', TO - 14 * DAY, 'ok', /expires on 2028-01-01$/],
    ['with less than that', TO - 14 * DAY + 1, 'warning', /expires on 2028-01-01$/],
    ['that has expired', TO, 'failed', /has expired on 2028-01-01: peers refuse it$/],
    ['that is not valid yet', FROM - 1, 'failed', /is not valid before 2027-01-01: peers refuse it$/],
  ])('%s is judged', (_, now, status, message) => {
    const found = judgeCertificate('KAFKA_TLS_CERT_FILE', { from: FROM, to: TO }, now);
    expect(found).toMatchObject({ status, message: expect.stringMatching(message) });
    expect(found.advice === null).toBe(status === 'ok');
  });
});
