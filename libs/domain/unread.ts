/** What could not be read of the messages of a match (law 0). */
import type { MatchState, NormalizedMessage, UnreadField } from '#records/types.ts';
import { compareIds } from './incident-register.ts';

/** The fields that could not be read, each with its latest time, and the latest message that could not be read at all. */
export class UnreadRegister {
  readonly #times = new Map<string, number>();
  /** When the latest message that could not be read was written, Unix seconds; null without one. */
  messageAt: number | null = null;

  static restore({ unread, unread_at }: Pick<MatchState, 'unread' | 'unread_at'>): UnreadRegister {
    const register = new UnreadRegister();
    for (const { path, ut } of unread) register.#times.set(path, ut);
    register.messageAt = unread_at;
    return register;
  }

  /** Returns whether a message changed the register. `newPaths`: what was read in every message before. */
  apply({ ut, unread, unreadable }: Pick<NormalizedMessage, 'ut' | 'unread' | 'unreadable'>) {
    const newPaths: string[] = [];
    let changed = false;
    for (const path of unread) {
      const known = this.#times.get(path);
      if (known !== undefined && known >= ut) continue;
      if (known === undefined) newPaths.push(path);
      this.#times.set(path, ut);
      changed = true;
    }
    if (unreadable !== null && (this.messageAt === null || this.messageAt < ut)) {
      this.messageAt = ut;
      changed = true;
    }
    return { changed, newPaths };
  }

  fields(): UnreadField[] {
    return Array.from(this.#times, ([path, ut]) => ({ path, ut })).sort((a, b) => compareIds(a.path, b.path));
  }
}
