import { describe, expect, test } from 'vitest';
import { openApi } from '#contract/rest/openapi.ts';
import { ALL_OPERATIONS } from '#contract/rest/operations.ts';
import { answerEnvelope } from '#contract/rest/records/envelope.ts';
import { readExample, referenceOf } from './reference.ts';

/** Created in each test, as mutation testing changes the code only while a test runs. */
const openApiDocument = () => openApi({ version: '' });
const groupsOf = () => referenceOf(openApiDocument(), readExample);
const operationsOf = () => groupsOf().flatMap((group) => group.operations);

describe('the reference', () => {
  test('has every operation once', () => {
    const names = operationsOf().map(({ name }) => name);
    expect(names.toSorted()).toEqual(ALL_OPERATIONS.map(({ name }) => name).toSorted());
  });

  test('refuses an operation that is in no group', () => {
    const document = openApiDocument();
    const paths = {
      ...document.paths,
      '/v2/new': { get: { ...operationOf('oauth'), operationId: 'new.index' } },
    };
    expect(() => referenceOf({ ...document, paths }, readExample)).toThrow(/in no group.*new\.index/);
  });
});

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

function operationOf(name: string) {
  const found = Object.values(openApiDocument().paths).find(({ get }) => get.operationId === name);
  return found?.get ?? expect.fail();
}
