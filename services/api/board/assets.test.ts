import { expect, test } from 'vitest';
import { loadAssets } from './assets.ts';

const { files, path, modulesOf } = loadAssets();

test('the scripts are served with all that they import, and nothing else', () => {
  const served = [...files.keys()].map((name) => name.replace(/^[^/]+\//, '')).sort();
  expect(served.filter((name) => name.startsWith('libs/'))).toEqual([
    'libs/contract/soccer.js',
    'libs/domain/clock.js',
    'libs/domain/fold.js',
    'libs/domain/result.js',
    'libs/tradability/trading.js',
  ]);
  expect(served.filter((name) => /views|\/(routes|hub|main)\.js/.test(name))).toEqual([]);
});

test('every import is of a file that is served beside it', () => {
  for (const [name, { type, body }] of files) {
    if (!type.startsWith('text/javascript')) continue;
    for (const [, specifier = ''] of String(body).matchAll(/\bfrom\s*'([^']+)'/g)) {
      const target = new URL(specifier, `http://board/${name}`).pathname.slice(1);
      expect(files.has(target), `${name} imports ${specifier}`).toBe(true);
    }
    expect(String(body)).not.toMatch(/import type|: string\b/);
  }
});

test('an asset’s path changes with its content and is the same for the same content', () => {
  expect(loadAssets().path('board.css')).toBe(path('board.css'));
  expect(files.has(path('board.css').slice('/board/assets/'.length))).toBe(true);
});

test('a page can load all of a script’s modules at once', () => {
  const modules = modulesOf('board/browser/page.js');
  expect(modules).toContain(path('board/browser/page.js'));
  expect(modules.some((module) => module.endsWith('libs/domain/clock.js'))).toBe(true);
  expect(modules.some((module) => module.endsWith('browser/board.js'))).toBe(false);
});

test('Node’s word on stripping types does not reach standard error', () => {
  const warnings: unknown[] = [];
  const note = (warning: unknown): void => void warnings.push(warning);
  process.on('warning', note);
  loadAssets();
  process.off('warning', note);
  expect(warnings).toEqual([]);
});
