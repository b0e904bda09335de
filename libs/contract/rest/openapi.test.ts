import { describe, expect, test } from 'vitest';
import { REST_ERRORS } from './errors.ts';
import { openApi } from './openapi.ts';
import { ALL_OPERATIONS } from './operations.ts';

const document = openApi({ version: '2.0.0' });
const operations = Object.values(document.paths).map(({ get }) => get);

/** Every `$ref` in the document. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' ? [String(inner)] : references(inner),
  );
}

describe('the OpenAPI document', () => {
  test('has every operation under its path', () => {
    const names = Object.entries(document.paths).map(([path, { get }]) => [path, get.operationId]);
    expect(names).toEqual(ALL_OPERATIONS.map(({ path, name }) => [path, name]));
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '2.0.0' }, servers: [{ url: '/' }] });
    expect(openApi({ version: '2.0.0', baseUrl: 'https://a.example' }).servers).toEqual([
      { url: 'https://a.example' },
    ]);
  });

  test('has no dangling reference', () => {
    for (const reference of references(document))
      expect(document).toHaveProperty(reference.slice(2).split('/'));
    expect(JSON.stringify(document)).not.toMatch(/\$id|\$defs|\$schema/);
  });

  test.each(ALL_OPERATIONS)('lists the answers of $name, and who may call it', ({ name, open, idName }) => {
    const operation = operations.find(({ operationId }) => operationId === name) ?? expect.fail();
    const statuses = ['200', '400', '405', '500', '503'];
    if (!open || name === 'oauth') statuses.push('401');
    if (!open) statuses.push('403');
    if (idName !== null) statuses.push('404');
    expect(Object.keys(operation.responses).toSorted()).toEqual(statuses.toSorted());
    expect(operation.security).toEqual(open ? [] : [{ token: [] }]);
    expect(operation.parameters.some(({ name: parameter }) => parameter === 'token')).toBe(false);
  });

  test('names each error by its internal code, the two of a window of the feed as well', () => {
    const causes = (path: string) => document.paths[path]?.get.responses['400']?.description;
    expect(causes('/v2/feed')).toBe(
      'Invalid parameter (internal_code 13); The window begins before what the feed still has (internal_code 7)',
    );
    expect(causes('/v2/feed/{id}')).toBe('Invalid parameter (internal_code 13)');
    const described = operations.flatMap(({ responses }) =>
      Object.values(responses).map((one) => one.description),
    );
    for (const { internalCode } of Object.values(REST_ERRORS))
      expect(
        described.some((text) => text.includes(`internal_code ${internalCode})`)),
        String(internalCode),
      ).toBe(true);
  });

  test.each(operations)('names the header of feed health on answers of $operationId', ({ responses }) => {
    for (const [status, { headers = {} }] of Object.entries(responses))
      expect(Object.keys(headers)).toEqual(Number(status) < 500 ? ['X-Feed-Health'] : []);
  });

  test.each(ALL_OPERATIONS)('describes what the spec does not show of $name', ({ name, notShown }) => {
    const operation = operations.find(({ operationId }) => operationId === name);
    expect(operation?.description).toBe(notShown ?? undefined);
  });

  test.each(operations)('describes each parameter of $operationId', ({ parameters }) => {
    expect(parameters.filter(({ description }) => description === undefined).map(({ name }) => name)).toEqual(
      [],
    );
  });

  test('has parameters with their types, defaults and which are required', () => {
    const { parameters } = document.paths['/v2/livescore']?.get ?? expect.fail();
    expect(parameters.find(({ name }) => name === 'limit')).toEqual({
      name: 'limit',
      in: 'query',
      required: false,
      description: 'Items of a page. Any other number is refused with 400.',
      schema: { type: 'integer', enum: [5, 10, 25, 50, 100, 150], default: 150 },
    });
    const basic = document.paths['/v2/basic-livescore']?.get.parameters ?? [];
    expect(basic.filter(({ required }) => required).map(({ name }) => name)).toEqual(['timestamp']);
    const oauth = document.paths['/v2/oauth']?.get.parameters ?? [];
    expect(oauth.filter(({ required }) => required).map(({ name }) => name)).toEqual([
      'client_id',
      'secret_key',
    ]);
    expect(document.paths['/v2/events/{id}']?.get.parameters[0]).toMatchObject({
      in: 'path',
      required: true,
    });
  });
});
