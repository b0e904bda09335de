import type { World } from '../world/world.ts';
import { ProtocolError } from './protocol-error.ts';

type Brokers = readonly { readonly id: number; readonly isUp: boolean }[];
type Coordinator = { broker: number; loadsUntil: number };

/** Returns the ids of the brokers that are up. */
export function idsOfUp(brokers: Brokers): number[] {
  return brokers.filter(({ isUp }) => isUp).map(({ id }) => id);
}

/** The coordinator of each key, and the end of its loading. */
export class Coordinators {
  readonly #world: World;
  readonly #brokers: Brokers;
  readonly #byKey = new Map<string, Coordinator>();

  constructor(world: World, brokers: Brokers) {
    this.#world = world;
    this.#brokers = brokers;
  }

  /** Returns the broker that coordinates a key. Throws when none is up. */
  of(key: string): number {
    return this.#find(key).broker;
  }

  /** Throws when this broker is not the coordinator, or is loading. */
  require(broker: number, key: string): void {
    const found = this.#find(key);
    if (found.broker !== broker) throw new ProtocolError('NOT_COORDINATOR');
    if (found.loadsUntil > this.#world.now) throw new ProtocolError('COORDINATOR_LOAD_IN_PROGRESS');
  }

  /** Moves all to other brokers, which load for `loadMs`. */
  move(loadMs: number): void {
    for (const coordinator of this.#byKey.values()) this.#move(coordinator, loadMs);
  }

  #find(key: string): Coordinator {
    const found = this.#byKey.get(key) ?? {
      broker: this.#byKey.size % this.#brokers.length,
      loadsUntil: 0,
    };
    this.#byKey.set(key, found);
    if (!this.#isUp(found)) this.#move(found, this.#world.random.between(1, 200));
    if (!this.#isUp(found)) throw new ProtocolError('COORDINATOR_NOT_AVAILABLE');
    return found;
  }

  #isUp({ broker }: Coordinator): boolean {
    return this.#brokers[broker]?.isUp ?? false;
  }

  #move(coordinator: Coordinator, loadMs: number): void {
    const up = idsOfUp(this.#brokers);
    if (up.length === 0) return;
    coordinator.broker = this.#world.random.pick(up);
    coordinator.loadsUntil = this.#world.now + loadMs;
  }
}
