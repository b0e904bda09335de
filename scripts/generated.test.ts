import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadSchemas } from '#topics/codec.ts';
import { isByEvent, TOPIC_NAMES, TOPICS } from '#topics/topics.ts';
import { renderErrorsDoc } from './errors-page.ts';
import { referenceMarkdown } from './rest-page.ts';
import { renderTypes } from './topic-types.ts';
import { renderTopicsDoc } from './topics-page.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

test.each([
  ['libs/records/types.ts', renderTypes],
  ['docs/reference/topics.md', renderTopicsDoc],
  ['docs/reference/errors.md', renderErrorsDoc],
  ['docs/reference/rest.md', referenceMarkdown],
])('%s is up to date with what it is made of (else: npm run generate)', (path, render) => {
  expect(read(`../${path}`)).toBe(render(loadSchemas()));
});

test('has a schema for every topic, and a topic for every schema', () => {
  expect([...loadSchemas().topics.keys()].sort()).toEqual([...TOPIC_NAMES].sort());
});

test('gives all topics of a match the same number of partitions', () => {
  const partitions = TOPIC_NAMES.filter(isByEvent).map((topic) => TOPICS[topic].partitions);
  expect(new Set(partitions).size).toBe(1);
});
