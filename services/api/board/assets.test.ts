import { expect, test } from 'vitest';
import { loadAssets } from './assets.ts';

const { files, path, modulesOf } = loadAssets();

test('serves the file of every import, and no module of the server', () => {
  for (const [name, { type, body }] of files) {
    if (!type.startsWith('text/javascript')) continue;
    for (const [, specifier = ''] of String(body).matchAll(/\bfrom\s*'([^']+)'/g)) {
      const target = new URL(specifier, `http://board/${name}`).pathname.slice(1);
      expect(files.has(target), `${name} imports ${specifier}`).toBe(true);
    }
    expect(String(body)).not.toMatch(/import type|: string\b/);
  }
  expect([...files.keys()].filter((name) => /views|\/(routes|hub|main)\.js/.test(name))).toEqual([]);
});

test('keeps the path of an asset while the content is the same', () => {
  expect(loadAssets().path('board.css')).toBe(path('board.css'));
  expect(files.has(path('board.css').slice('/board/assets/'.length))).toBe(true);
});

test('lists all modules of a script, so that a page can preload them', () => {
  const modules = modulesOf('board/browser/page.js');
  expect(modules).toContain(path('board/browser/page.js'));
  expect(modules.some((module) => module.endsWith('libs/domain/clock.js'))).toBe(true);
  expect(modules.some((module) => module.endsWith('browser/board.js'))).toBe(false);
});

test('suppresses Node’s warning about stripping types', () => {
  const warnings: unknown[] = [];
  const note = (warning: unknown): void => void warnings.push(warning);
  process.on('warning', note);
  loadAssets();
  process.off('warning', note);
  expect(warnings).toEqual([]);
});
