import { expect, test } from 'vitest';
import { parseLine, problemLines, problemOf } from './problem-lines.ts';

const REFUSED = 'Connection to 127.0.0.1:24513 failed.: connect ECONNREFUSED 127.0.0.1:24513';
const line = (msg: string, message: string): string =>
  JSON.stringify({ level: 40, msg, err: { message, stack: 'x' } });

test('shows one line for each cause, again once it was quiet for a minute', () => {
  let now = 0;
  const shown: string[] = [];
  const problem = problemLines(
    (text) => shown.push(text),
    () => now,
  );
  const report = (service: string, json: string): void => {
    const { text, cause } = problemOf(parseLine(json) ?? expect.fail());
    problem(`${service}: ${text}`, cause);
  };
  const outage = (): void => {
    for (const partition of [4, 2, 0])
      report('match-processor', line('the task failed', `read matches-${partition}: ${REFUSED}`));
    report('feed-monitor', line('publishing failed', `publish: ${REFUSED}`));
  };
  outage();
  now = 50_000;
  outage();
  report('api', line('a task failed', 'disk full'));
  problem('broker runs again', null);
  problem('broker runs again', null);
  now = 109_000;
  outage();
  now = 170_000;
  outage();
  const first = `match-processor: the task failed: read matches-4: ${REFUSED}`;
  const again = 'broker runs again';
  expect(shown).toEqual([first, 'api: a task failed: disk full', again, again, first]);
});
