/** The questions of a new user: from the README each is answered in two clicks, the table of questions and the page. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { anchorsOf, linksOf } from './pages.ts';

const ROOT = join(import.meta.dirname, '..');
const INDEX = 'docs/README.md';
const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** A question as a user asks it, the page that answers it, and words of the answer. */
const QUESTIONS = [
  ['How do I plug in my feed?', 'docs/guides/bring-your-own-provider.md', 'Does your feed fit?'],
  ['How do I run it on managed Kafka?', 'docs/guides/managed-kafka.md', 'Confluent Cloud'],
  ['How do I follow another sport?', 'docs/reference/sports.md', 'Add the rules of a sport'],
  ['How do I get alerts in Slack?', 'docs/guides/alerts.md', '--format slack'],
  ['How do I read a past season?', 'docs/guides/backfill.md', 'FOLLOW_SEASONS'],
  ['Which personal data does it keep, and for how long?', 'docs/guides/personal-data.md', 'operator-orders'],
  ['How do I change the rule of when a score may be traded?', 'docs/guides/feed-health.md', 'The rule'],
  ['How do I change the rules of a table?', 'docs/guides/write-competition-rules.md', 'data/rules'],
  ['How do I upgrade, and go back?', 'docs/guides/runbooks/upgrade-and-rollback.md', 'roll'],
  [
    'Can I run the receiver and the processor alone?',
    'docs/guides/receiver-and-processor.md',
    'match-processor',
  ],
  ['How do I read the topics from my program?', 'docs/guides/reading.md', '@touchline/reader'],
  ['Can Flink, ksqlDB or Spark read it?', 'docs/guides/flink.md', 'CREATE TABLE'],
  ['What is its latency?', 'docs/reference/performance.md', 'p99'],
  ['What does it cost?', 'docs/reference/scale.md', 'disk'],
  ['What do I back up?', 'docs/guides/runbooks/restore-all-brokers.md', 'backup'],
] as const;

/** The links of each row of the table of questions, by question. */
function answers(): Map<string, readonly string[]> {
  const [, table = ''] = read(INDEX).split('## Questions');
  const rows = [...(table.split('## ')[0] ?? '').matchAll(/^\| ([^|]+\?) \|(.*)\|$/gm)];
  return new Map(rows.map(([, question = '', answer = '']) => [question, linksOf(answer)]));
}

test('the README links to the table of questions', () => {
  expect(linksOf(read('README.md'))).toContain(`${INDEX}#questions`);
  expect(anchorsOf(read(INDEX))).toContain('questions');
});

test.each(QUESTIONS)('%s is answered by %s', (question, page, words) => {
  const links = answers().get(question) ?? [];
  expect(links.map((link) => join(dirname(INDEX), link.split('#')[0] ?? ''))).toContain(page);
  expect(read(page)).toContain(words);
});

test('each question of the table leads to a page', () => {
  const table = answers();
  expect(table.size).toBeGreaterThan(0);
  expect([...table].filter(([, links]) => links.length === 0)).toEqual([]);
});
