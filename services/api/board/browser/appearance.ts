/** Applies the theme, the density and the time zone that the reader chose in this browser, on every page. */
import { checkedIn, checkStored, readStored, writeStored } from './storage.ts';

const STORAGE_KEY = 'touchline.view';
/** Without a choice: the theme of the system, rows of the usual height, keys on. */
const DEFAULT = ['theme system', 'times utc', 'keys yes'];

let zone = 'UTC';
apply();
// Another tab changed it.
addEventListener('storage', apply);

/** Shows the stored choice in its form, and stores each change of it. */
export function offerAppearance(form: HTMLElement): void {
  checkStored(form, chosen());
  form.addEventListener('change', () => {
    writeStored(STORAGE_KEY, checkedIn(form));
    apply();
  });
}

/** Whether the reader wants keys: a program that speaks may type letters. */
export function hasKeys(): boolean {
  return chosen().includes('keys yes');
}

/** Returns the zone in which times are shown: UTC, or the one of this browser where the reader chose so. */
export function chosenZone(): string {
  return zone;
}

function chosen(): readonly string[] {
  return readStored(STORAGE_KEY) ?? DEFAULT;
}

function apply(): void {
  const { dataset } = document.documentElement;
  dataset.theme =
    chosen()
      .find((one) => one.startsWith('theme '))
      ?.slice('theme '.length) ?? 'system';
  zone = chosen().includes('times local') ? Intl.DateTimeFormat().resolvedOptions().timeZone : 'UTC';
  dataset.dense = chosen().includes('dense yes') ? 'yes' : 'no';
}
