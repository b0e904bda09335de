import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { anchorsOf, linksOf, pathsOf, recordsOf } from './pages.ts';

test('the walk of a goal names at most thirty files up to the commit, and at most fifteen for each way from there', () => {
  const page = readFileSync(new URL('../docs/reference/walk-of-a-goal.md', import.meta.url), 'utf8');
  const [toCommit, ...onwards] = page
    .split('\n## To ')
    .map((part) => new Set(pathsOf(part, true).filter((path) => path.endsWith('.ts'))).size);
  expect(toCommit).toBeGreaterThan(0);
  expect(toCommit).toBeLessThanOrEqual(30);
  expect(onwards).toHaveLength(3);
  expect(Math.max(...onwards)).toBeLessThanOrEqual(15);
});

describe('linksOf', () => {
  test('finds links, links with an anchor, pictures and HTML', () => {
    const page =
      '[a](a.md) and [b](../b.md#part) ![c](c.png "title")\n<img src="d.png" width="1"> [e](#here)';
    expect(linksOf(page)).toEqual(['a.md', '../b.md#part', 'c.png', '#here', 'd.png']);
  });

  test('leaves out other hosts, addresses of a service, and code', () => {
    const page =
      '[x](https://example.org/a.md) [m](mailto:a@b) [s](/docs) `[c](c.md)`\n```\n[f](f.md)\n```\n';
    expect(linksOf(page)).toEqual([]);
  });
});

describe('anchorsOf', () => {
  test('makes anchors as GitHub does', () => {
    const page =
      '# Law 3: removal\n## `GET /v2/feed` & more\n## The *board*, [now](x.md)\n## Größe\n<a id="own"></a>';
    expect([...anchorsOf(page)].sort()).toEqual(
      ['get-v2feed--more', 'größe', 'law-3-removal', 'own', 'the-board-now'].sort(),
    );
  });

  test('numbers repeated headings, and ignores code', () => {
    expect([...anchorsOf('# A\n```sh\n# no heading\n```\n## A\n### A')]).toEqual(['a', 'a-1', 'a-2']);
  });
});

describe('pathsOf', () => {
  test('finds paths in backquotes of a page, without line numbers and patterns', () => {
    const page =
      '`libs/domain/goals.ts:12`, `test/board`, `libs/*.ts`, `data/<name>.json`, `other/thing.ts`, libs/x.ts';
    expect(pathsOf(page, true)).toEqual(['libs/domain/goals.ts', 'test/board']);
  });

  test('finds pages that a source file names', () => {
    const source =
      "// docs/laws.md, see docs/guides/operate.md.\nimport './docs/examples.ts'; read('../docs/no.md')";
    expect(pathsOf(source, false)).toEqual(['docs/laws.md', 'docs/guides/operate.md']);
  });
});

test('recordsOf finds decision records by number', () => {
  expect(recordsOf('decision 0053, docs/decisions/0007, decisions 0036 to 0045 and 0099')).toEqual([
    '0053',
    '0007',
    '0036',
  ]);
});
