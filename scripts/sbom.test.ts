import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ROOT = new URL('..', import.meta.url);

test('the bill of materials lists every production dependency with its version, and nothing of development', () => {
  const manifest = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
  const output = execFileSync(process.execPath, ['scripts/sbom.ts'], { cwd: ROOT, encoding: 'utf8' });
  const { bomFormat, components, dependencies } = JSON.parse(output);
  expect(bomFormat).toBe('CycloneDX');
  const listed = new Set<string>(components.map((of: { 'bom-ref': string }) => of['bom-ref']));
  const named = (of: Record<string, string>): string[] =>
    Object.entries(of).map(([name, version]) => `${name}@${version}`);
  expect(named(manifest.dependencies).filter((name) => !listed.has(name))).toEqual([]);
  // Other development packages may be listed, because a production dependency needs them too.
  const { typescript, vitest } = manifest.devDependencies;
  expect(named({ typescript, vitest }).filter((name) => listed.has(name))).toEqual([]);
  const refs: string[] = dependencies.flatMap((of: { dependsOn: string[] }) => of.dependsOn);
  expect(refs.filter((ref) => !listed.has(ref))).toEqual([]);
});
