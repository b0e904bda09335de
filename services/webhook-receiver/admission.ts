/** Why a request is refused before it is known who sent it. */
export type OverloadReason =
  /** More connections than `maxConnections`. */
  | 'connections'
  /** More bytes of bodies without a proven signature than `maxUnprovenBytes`. */
  | 'unproven_bytes';

/** How much a receiver keeps for those who have not proven that they are the provider. */
export type AdmissionLimits = {
  readonly maxConnections: number;
  /** Bytes of bodies, as far as they have arrived, whose signature is not proven yet. */
  readonly maxUnprovenBytes: number;
};

/** One connection, as far as its place is concerned. */
export class Guest {
  /** Ends the connection with an answer that says why. */
  readonly refuse: (reason: OverloadReason) => void;
  /** Whether a delivery that came by this connection was authentic. */
  proven = false;
  /** Bytes held for the body that arrives now. */
  bytes = 0;
  /** When the head of that request was read, on the clock of `performance.now`. */
  since = 0;

  constructor(refuse: (reason: OverloadReason) => void) {
    this.refuse = refuse;
  }
}

/**
 * Who may stay where there are more connections or more unproven bytes than the limits allow (docs/decisions/0007).
 * Connections on which a signature was proven come last. Of the others, the oldest connection makes room for a new one, and
 * for more bytes the one that has held most for longest: whoever sends what he announced is soon done, and needs no place.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  /** In the order they came. */
  readonly #unproven = new Set<Guest>();
  readonly #proven = new Set<Guest>();
  /** Those that have bytes. */
  readonly #holders = new Set<Guest>();
  #bytes = 0;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  /** Open connections. */
  get connections(): number {
    return this.#unproven.size + this.#proven.size;
  }

  /** Bytes held for bodies whose signature is not proven yet. */
  get unprovenBytes(): number {
    return this.#bytes;
  }

  /** A connection is open. Refuses the oldest unproven one where it is one too many, or itself where all others are proven. */
  enter(guest: Guest): void {
    this.#unproven.add(guest);
    if (this.connections <= this.#limits.maxConnections) return;
    const [oldest = guest] = this.#unproven;
    this.#refuse(oldest, 'connections');
  }

  /** `bytes` more are to be held for the body of a guest. False where it was refused for that. */
  hold(guest: Guest, bytes: number, now: number): boolean {
    guest.bytes += bytes;
    this.#bytes += bytes;
    this.#holders.add(guest);
    while (this.#bytes > this.#limits.maxUnprovenBytes)
      this.#refuse(this.#mostLasting(now), 'unproven_bytes');
    return guest.bytes > 0;
  }

  /** Nothing is held for a guest's body any more: it is proven, refused, or gone. */
  release(guest: Guest): void {
    this.#bytes -= guest.bytes;
    guest.bytes = 0;
    this.#holders.delete(guest);
  }

  /** A delivery of this guest was authentic. */
  prove(guest: Guest): void {
    if (guest.proven || !this.#unproven.delete(guest)) return;
    guest.proven = true;
    this.#proven.add(guest);
  }

  /** A connection is closed. */
  leave(guest: Guest): void {
    this.release(guest);
    this.#unproven.delete(guest);
    this.#proven.delete(guest);
  }

  #refuse(guest: Guest, reason: OverloadReason): void {
    this.leave(guest);
    guest.refuse(reason);
  }

  /** Of those that hold bytes, the unproven one with the most bytes times milliseconds; a proven one if there is no other. */
  #mostLasting(now: number): Guest {
    let found: Guest | undefined;
    let most = -1;
    for (const guest of this.#holders) {
      if (found !== undefined && !found.proven && guest.proven) continue;
      const weight = guest.bytes * (now - guest.since + 1);
      if (found !== undefined && found.proven === guest.proven && weight <= most) continue;
      found = guest;
      most = weight;
    }
    if (found === undefined) throw new Error('bytes are counted that nobody holds');
    return found;
  }
}
