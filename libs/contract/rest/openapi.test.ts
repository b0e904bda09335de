import { describe, expect, test } from 'vitest';
import { REST_ERRORS } from './errors.ts';
import { type OpenApiDocument, type OperationObject, openApi } from './openapi.ts';
import { ALL_OPERATIONS } from './operations.ts';
import { ANSWERS } from './records.ts';

/** Each test makes the document, since mutation testing changes the code only while a test runs. */
const made = (): OpenApiDocument => openApi({ version: '2.0.0' });
const operationOf = (name: string): OperationObject =>
  Object.values(made().paths).find(({ get }) => get.operationId === name)?.get ?? expect.fail();

/** Every `$ref` in the document. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' ? [String(inner)] : references(inner),
  );
}

describe('the OpenAPI document', () => {
  test('has every operation under its path', () => {
    const document = made();
    const names = Object.entries(document.paths).map(([path, { get }]) => [path, get.operationId]);
    expect(names).toEqual(ALL_OPERATIONS.map(({ path, name }) => [path, name]));
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '2.0.0' }, servers: [{ url: '/' }] });
    expect(openApi({ version: '2.0.0', baseUrl: 'https://a.example' }).servers).toEqual([
      { url: 'https://a.example' },
    ]);
  });

  test('shows the example of an operation: its answer, and the values of the parameters that it sends', () => {
    const example = { request: '/v2/events/7/incidents?limit=25', answer: { api: 1 } };
    const { get } =
      openApi({ version: '', exampleOf: () => example }).paths['/v2/events/{id}/incidents'] ?? expect.fail();
    const sent = get.parameters.flatMap(({ name, example }) =>
      example === undefined ? [] : `${name}=${example}`,
    );
    expect(sent).toEqual(['id=7', 'limit=25']);
    expect(get.responses['200']?.content).toHaveProperty(['application/json', 'example'], { api: 1 });
    expect(get.responses['400']?.content).toHaveProperty(['application/json', 'example'], undefined);
  });

  test('has no dangling reference', () => {
    const document = made();
    expect(document.components.securitySchemes).toMatchObject({ token: { in: 'query', name: 'token' } });
    for (const reference of references(document))
      expect(document).toHaveProperty(reference.slice(2).split('/'));
    expect(JSON.stringify(document)).not.toMatch(/\$id|\$defs|\$schema/);
  });

  test('names each error with its internal code, also both errors of a window of the feed', () => {
    const { paths } = made();
    const causes = (path: string) => paths[path]?.get.responses['400']?.description;
    expect(causes('/v2/feed')).toBe(
      'Invalid parameter (internal_code 13); The window begins before what the feed still has (internal_code 7)',
    );
    expect(causes('/v2/feed/{id}')).toBe('Invalid parameter (internal_code 13)');
    const described = Object.values(paths).flatMap(({ get }) =>
      Object.values(get.responses).map((one) => one.description),
    );
    for (const { internalCode } of Object.values(REST_ERRORS))
      expect(
        described.some((text) => text.includes(`internal_code ${internalCode})`)),
        String(internalCode),
      ).toBe(true);
  });

  test('defines the record of every answer once, and an error', () => {
    const { schemas } = made().components;
    const records = [...Object.keys(ANSWERS), ...ALL_OPERATIONS.map(({ name }) => name), 'Error'];
    expect(Object.keys(schemas).toSorted()).toEqual(records.toSorted());
    const error = { properties: { message: { type: 'string' }, internal_code: { type: 'integer' } } };
    expect(schemas.Error).toMatchObject({ properties: { api: { properties: { error } } } });
  });

  test.each(ALL_OPERATIONS)('describes $name: its answers, parameters and who may call it', (of) => {
    const { name, open, idName, notShown } = of;
    const { responses, security, parameters, description } = operationOf(name);
    const statuses = ['200', '400', '405', '500', '503'];
    if (!open || name === 'oauth') statuses.push('401');
    if (!open) statuses.push('403');
    const ofNodes = ['events.index', 'events-simple.index', 'stages.index', 'standings.index'];
    if (idName !== null || ofNodes.includes(name)) statuses.push('404');
    expect(Object.keys(responses).toSorted()).toEqual(statuses.toSorted());
    for (const [status, answer] of Object.entries(responses)) {
      const schema = { $ref: `#/components/schemas/${status === '200' ? name : 'Error'}` };
      const headers = { 'X-Feed-Health': { $ref: '#/components/headers/X-Feed-Health' } };
      expect([status, answer.content]).toEqual([status, { 'application/json': { schema } }]);
      expect([status, answer.headers]).toEqual([status, Number(status) < 500 ? headers : undefined]);
    }
    expect([security, description]).toEqual([open ? [] : [{ token: [] }], notShown ?? undefined]);
    expect(parameters.filter((one) => one.description === undefined || one.name === 'token')).toEqual([]);
    const { properties } = made().components.schemas[name] as {
      properties: { api: { properties: object; required: string[] } };
    };
    expect(properties.api.required).toEqual(['ver', 'timestamp', 'method', 'data']);
    expect(properties.api.properties).toMatchObject({
      ver: { type: 'string' },
      timestamp: { type: 'integer' },
      method: { properties: { name: { const: name }, total_items: { type: 'integer', minimum: 0 } } },
    });
  });
});
