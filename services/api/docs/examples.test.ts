import { describe, expect, test } from 'vitest';
import { ALL_OPERATIONS } from '#contract/rest/operations.ts';
import { answerEnvelope } from '#contract/rest/records/envelope.ts';
import { readExample } from './examples.ts';

describe.each(ALL_OPERATIONS)('the example of $name', (operation) => {
  const { request, answer, fields } = readExample(operation.name);

  test('is an answer of the contract', () => {
    const { error } = answerEnvelope(operation.name, operation.data).safeParse(answer);
    expect(error?.issues ?? []).toEqual([]);
    expect(Object.keys(fields).length).toBeGreaterThan(0);
  });

  test('contains no secret and no address of a machine', () => {
    const text = JSON.stringify({ request, answer });
    expect(text).not.toMatch(/v1\.\d+\.\d{10}\.|127\.0\.0\.1/);
    for (const [, sent] of text.matchAll(/(?:token|secret_key)=([^&"\\]+)/g)) {
      expect(sent).toMatch(/^(TOKEN|SECRET_KEY)$/);
    }
    for (const [address] of text.matchAll(/https?:\/\/[^/"]+/g))
      expect(address).toBe('http://localhost:8081');
  });
});
