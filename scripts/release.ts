/**
 * Makes what a release publishes, in `.touchline/release/<version>`: the npm packages, the bill of materials, the image where
 * `buildah` is installed, and the digests. Publishes nothing: prints the commands that do. `npm run release`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** Folders of `libs` that the packages of `libs` are compiled from. */
const SOURCES = ['domain', 'errors', 'json', 'laws', 'reader', 'records', 'soccer', 'trading'];
const IMAGE = 'image.tar';

/** A package that a release publishes. */
export type ReleasedPackage = { readonly name: string; readonly version: string };

/** A file of a release, with its SHA-256, hexadecimal. */
type ReleasedFile = { readonly name: string; readonly sha256: string };

/** Returns what is wrong with a release; empty if nothing. `changes`: the output of `git status --porcelain`. */
export function problemsOf(
  { version }: ReleasedPackage,
  libraries: readonly ReleasedPackage[],
  changelog: string,
  changes: string,
): string[] {
  const problems: string[] = [];
  if (changes.trim() !== '')
    problems.push('the working tree has changes: commit them, so that the commit says what is released');
  const heading = changelog
    .split('\n')
    .find((line) => line === `## ${version}` || line.startsWith(`## ${version},`));
  if (heading === undefined) problems.push(`CHANGELOG.md has no entry "## ${version}"`);
  else if (heading.includes('pending'))
    problems.push(`the entry of ${version} in CHANGELOG.md is pending: write its date instead`);
  for (const one of libraries)
    if (!changelog.includes(`\`${one.name}\` ${one.version}`))
      problems.push(`CHANGELOG.md has no entry of \`${one.name}\` ${one.version}`);
  return problems;
}

/** Returns the commands that publish these files, each with its words. */
export function publishingCommands(
  folder: string,
  files: readonly ReleasedFile[],
  version: string,
): string[] {
  const packages = files
    .filter(({ name }) => name.endsWith('.tgz'))
    .map(({ name }) => `npm publish ${join(folder, name)}`);
  const hasImage = files.some(({ name }) => name === IMAGE);
  // By what built the image: nothing else need be installed.
  const push = `buildah push touchline:${version} docker://<registry>/touchline:${version}`;
  return [...packages, ...(hasImage ? [push] : [])];
}

/** Packs one of the npm packages of `libs` from a copy of the sources, in `folder`. Returns the path of the file. */
export function packLibrary(name: 'reader' | 'laws', folder: string): string {
  for (const lib of SOURCES) cpSync(join(ROOT, 'libs', lib), join(folder, lib), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, name, pack(join(folder, name)));
}

/** Packs Touchline itself into `folder`. Returns the path of the file. */
export function packTouchline(folder: string): string {
  return join(folder, pack(ROOT, '--pack-destination', folder));
}

function pack(cwd: string, ...args: string[]): string {
  const env = { ...process.env, PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}` };
  return execFileSync('npm', ['pack', '--silent', ...args], { cwd, env, encoding: 'utf8' }).trim();
}

function packageOf(folder: string): ReleasedPackage {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as ReleasedPackage;
}

/** Builds the image as an archive. Returns false where `buildah` is not installed. */
function buildImage(file: string, { version }: ReleasedPackage, commit: string): boolean {
  if (spawnSync('buildah', ['--version']).status !== 0) return false;
  const tag = `touchline:${version}`;
  const args = ['--build-arg', `VERSION=${version}`, '--build-arg', `REVISION=${commit}`, '--tag', tag, ROOT];
  execFileSync('buildah', ['build', ...args], { stdio: 'inherit' });
  execFileSync('buildah', ['push', tag, `oci-archive:${file}`], { stdio: 'inherit' });
  return true;
}

function release(): number {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  const touchline = packageOf(ROOT);
  const libraries = (['reader', 'laws'] as const).map((name) => ({
    name,
    package: packageOf(join(ROOT, 'libs', name)),
  }));
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const problems = problemsOf(
    touchline,
    libraries.map((one) => one.package),
    changelog,
    git('status', '--porcelain'),
  );
  for (const problem of problems) console.error(`release: ${problem}`);
  if (problems.length > 0) return 1;

  const commit = git('rev-parse', 'HEAD').trim();
  const folder = join(ROOT, '.touchline/release', touchline.version);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  packTouchline(folder);
  for (const { name } of libraries) {
    const copy = mkdtempSync(join(tmpdir(), 'touchline-release-'));
    const file = packLibrary(name, copy);
    cpSync(file, join(folder, file.slice(file.lastIndexOf('/') + 1)));
    rmSync(copy, { recursive: true });
  }
  const sbom = ['run', 'sbom', '--', '--output-file', join(folder, 'sbom.json')];
  execFileSync('npm', sbom, { cwd: ROOT, stdio: 'inherit' });
  if (!buildImage(join(folder, IMAGE), touchline, commit)) console.log('no image: buildah is not installed');

  const files = readdirSync(folder).map((name) => ({
    name,
    sha256: createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex'),
  }));
  writeFileSync(join(folder, 'SHA256SUMS'), files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''));
  console.log(`Made ${files.length} files of ${commit.slice(0, 12)} in ${folder}:`);
  for (const { name, sha256 } of files) console.log(`  ${sha256.slice(0, 16)}…  ${name}`);
  console.log('Nothing is published. These commands do it:');
  for (const command of publishingCommands(folder, files, touchline.version)) console.log(`  ${command}`);
  console.log(`  git tag v${touchline.version} ${commit} && git push origin v${touchline.version}`);
  return 0;
}

if (import.meta.main) process.exitCode = release();
