import type { Access } from '#contract/rest/provider.ts';

const keys = new WeakMap<Access, string>();

/** The same text for clients that may see the same competitions. */
export function accessKey(access: Access): string {
  let key = keys.get(access);
  if (key === undefined) {
    const { competitions } = access;
    key = competitions === null ? '*' : [...competitions].sort((a, b) => a - b).join(',');
    keys.set(access, key);
  }
  return key;
}
