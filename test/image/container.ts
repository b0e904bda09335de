import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { chown } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { atEnd } from '../support/at-end.ts';
import { TestService } from '../support/processes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { BuiltImage } from './built-image.ts';

/**
 * Enters the image as a container engine does with `--read-only`, `--cap-drop ALL` and `no-new-privileges`: in a
 * separate mount namespace in which only the volumes are writable. It replaces the shell by the service, so that a
 * signal reaches the service itself.
 */
const ENTER = `
set -e
mount --bind "$ROOT" "$ROOT"
for volume in $VOLUMES; do mount --bind "$WRITABLE$volume" "$ROOT$volume"; done
mount --rbind /dev "$ROOT/dev"
mount -t proc proc "$ROOT/proc"
mount -o remount,bind,ro "$ROOT"
exec chroot "$ROOT" setpriv --reuid "$OWNER" --regid "$GROUP" --clear-groups --no-new-privs --bounding-set=-all \\
  --inh-caps=-all env --unset=ROOT --unset=VOLUMES --unset=WRITABLE --unset=OWNER --unset=GROUP --chdir="$FOLDER" "$@"
`;

export class Container {
  readonly #image: BuiltImage;
  readonly #writable: string;
  readonly #env: Readonly<Record<string, string>>;

  constructor(image: BuiltImage, folder: string, env: Readonly<Record<string, string>> = {}) {
    this.#image = image;
    this.#writable = temporaryFolder(folder);
    this.#env = env;
  }

  async run(...command: string[]): Promise<{ readonly code: number | null; readonly output: string }> {
    const child = await this.#spawn(command);
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    const written = await Promise.all(
      [child.stdout, child.stderr].map((stream) => (stream === null ? '' : text(stream))),
    );
    return { code: await closed, output: written.join('') };
  }

  /** Starts the entry point of the image with these arguments. */
  async start(...args: string[]): Promise<TestService> {
    const child = await this.#spawn([...this.#image.config.Entrypoint, ...args]);
    child.stdout?.resume();
    const service = new TestService(child);
    atEnd(() => service.kill());
    return service;
  }

  async #spawn(command: readonly string[]): Promise<ChildProcess> {
    const { config, files } = this.#image;
    const [owner = '', group = ''] = config.User.split(':');
    const volumes = Object.keys(config.Volumes);
    for (const volume of volumes) {
      mkdirSync(join(this.#writable, volume), { recursive: true });
      await chown(join(this.#writable, volume), Number(owner), Number(group));
    }
    const ofImage = Object.fromEntries(config.Env.map((one) => one.split(/=(.*)/s).slice(0, 2)));
    return spawn('unshare', ['--mount', 'sh', '-c', ENTER, 'enter', ...command], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        ...ofImage,
        TOUCHLINE_PARENT_PIPE: '1',
        ...this.#env,
        ROOT: files,
        VOLUMES: volumes.join(' '),
        WRITABLE: this.#writable,
        OWNER: owner,
        GROUP: group,
        FOLDER: config.WorkingDir,
      },
    });
  }
}
