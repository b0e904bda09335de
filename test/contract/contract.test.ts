import { expect, it, type RunnerTestSuite, type TestContext } from 'vitest';
import { endpointRows } from './endpoints.ts';
import { errorRows } from './errors.ts';
import { limitRows } from './limits.ts';
import { rules } from './rules.ts';
import { serveOnce } from './served.ts';
import { haveSpec, rowsOf, rulesOf } from './spec.ts';

serveOnce();
endpointRows();
rules();
errorRows();
limitRows();

/** Rows of the limits that are not of the REST part: see limits.ts. */
const ELSEWHERE = [
  ...['label length', 'Token exchange window', 'Exchanges per IP', 'Exchanges per client_id'],
  ...['/mcp window', '/mcp requests', 'Webhook receiver timeout', 'Signature validity'],
  ...['Webhook test url', 'Webhook secret'],
];

it.runIf(haveSpec)('every row has a test named after it (needs the spec beside the project)', ({ task }) => {
  const names = namesIn(task.file);
  const tested = (row: string) =>
    names.some((name) => row === name || row.startsWith(`${name}: `) || row.startsWith(`${name} `));
  const rows = [
    ...rowsOf('## Endpoints'),
    ...rulesOf('## Endpoints'),
    ...rowsOf('### REST'),
    ...rowsOf('## Limits').filter((row) => !ELSEWHERE.some((name) => row.startsWith(`${name}: `))),
  ];
  expect(rows).toHaveLength(18 + 7 + 5 + 2);
  expect(rows.filter((row) => !tested(row))).toEqual([]);
});

function namesIn(suite: TestContext['task']['file'] | RunnerTestSuite): string[] {
  return suite.tasks.flatMap((task) => [task.name, ...('tasks' in task ? namesIn(task) : [])]);
}
