import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';
const NPM_SETTINGS = '/root/.npmrc';
const TAG = 'touchline:verified';

/** Returns the requirements for building and running an image that this machine lacks. */
export function missing(): string[] {
  const commands = ['buildah', 'mmdebstrap', 'unshare', 'setpriv'];
  const absent = commands.filter((command) => spawnSync(command, ['--version']).status !== 0);
  return process.getuid?.() === 0 ? absent : [...absent, 'root'];
}

type ImageConfig = {
  readonly Env: readonly string[];
  readonly User: string;
  readonly WorkingDir: string;
  readonly Entrypoint: readonly string[];
  readonly Volumes: Readonly<Record<string, unknown>>;
};

/**
 * Builds the image of the Dockerfile in separate storage in `folder`, in a minute or two. Returns the folder with its
 * files, and its base image: that of the Dockerfile, or a similar one. Throws with the output of buildah.
 */
export async function buildImage(folder: string) {
  const buildah: Buildah = async (...args) => {
    const storage = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run')];
    const limits = { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await run('buildah', [...storage, '--storage-driver', 'vfs', ...args], limits);
    return stdout.trim();
  };
  const base = await haveBase(folder, buildah);
  const mounts = await registryAccess(folder);
  const build = ['build', '--quiet', '--isolation', 'chroot', '--layers=false', '--pull-never'];
  await buildah(...build, ...mounts.flatMap((mount) => ['--volume', mount]), '--tag', TAG, '.');
  const container = await buildah('from', '--pull-never', TAG);
  const { OCIv1 } = JSON.parse(await buildah('inspect', '--type', 'image', TAG));
  return { files: await buildah('mount', container), config: OCIv1.config as ImageConfig, base };
}

export type BuiltImage = Awaited<ReturnType<typeof buildImage>>;

type Buildah = (...args: string[]) => Promise<string>;

/** Pulls the base image of the Dockerfile; when its registry is unreachable, builds a similar one. Returns its name. */
async function haveBase(folder: string, buildah: Buildah): Promise<string> {
  const [, name = ''] = /^FROM (\S+)$/m.exec(await readFile(join(ROOT, 'Dockerfile'), 'utf8')) ?? [];
  const reference = `docker.io/library/${name}`;
  const isThere = await buildah('pull', '--quiet', '--retry', '0', reference).then(
    () => true,
    () => false,
  );
  if (isThere) return reference;
  const archive = join(folder, 'debian.tar');
  await run('mmdebstrap', ['--quiet', '--variant=minbase', '--include=ca-certificates', 'bookworm', archive]);
  const container = await buildah('from', 'scratch');
  const root = await buildah('mount', container);
  await run('tar', ['--directory', root, '--extract', '--file', archive]);
  await rm(archive);
  await copyFile(process.execPath, join(root, 'usr/local/bin/node'));
  const npm = join(root, 'usr/local/lib/node_modules/npm');
  await cp(await npmFolder(), npm, { recursive: true, dereference: true });
  await writeFile(
    join(root, 'usr/local/bin/npm'),
    '#!/bin/sh\nexec node /usr/local/lib/node_modules/npm/bin/npm-cli.js "$@"\n',
    { mode: 0o755 },
  );
  const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  await buildah('config', '--env', path, container);
  await buildah('commit', '--quiet', '--rm', container, reference);
  return `Debian bookworm with Node ${process.versions.node}, since ${reference} cannot be pulled`;
}

/** Returns the folder of the installed npm. Its own global folder is another one where Node is a package. */
async function npmFolder(): Promise<string> {
  const { stdout } = await run('sh', ['-c', 'command -v npm']);
  return join(await realpath(stdout.trim()), '../..');
}

/** Returns mounts with which `npm ci` reaches the registry as on this machine. They leave nothing in the image. */
async function registryAccess(folder: string): Promise<string[]> {
  const settings = join(folder, 'npmrc');
  const { stdout: registry } = await run('npm', ['config', 'get', 'registry']);
  await writeFile(settings, `registry=${registry.trim()}\ncafile=${AUTHORITIES}\n`);
  const mounts = [`${settings}:${NPM_SETTINGS}:ro`];
  return existsSync(AUTHORITIES) ? [...mounts, `${AUTHORITIES}:${AUTHORITIES}:ro`] : mounts;
}
