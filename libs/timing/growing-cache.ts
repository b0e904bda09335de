import { LRUCache } from 'lru-cache';

/**
 * Creates a cache of at most so many entries, whose memory grows with them: with `max` lru-cache takes that of all at once, 6 ms for
 * 50,000. `ttlMs`: how long an entry is known, milliseconds. Default: while it is among those used last.
 */
export function growingCache<K extends {}, V extends {}>(entries: number, ttlMs = 0): LRUCache<K, V> {
  return new LRUCache<K, V>({ maxSize: entries, sizeCalculation: () => 1, ttl: ttlMs });
}
