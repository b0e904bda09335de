/** Applies the theme and the density that the reader chose in this browser, on every page. */
import { readStored, writeStored } from './storage.ts';

const STORAGE_KEY = 'touchline.view';
/** Without a choice: the theme of the system, rows of the usual height, keys on. */
const DEFAULT = ['theme system', 'keys yes'];

apply();
// Another tab changed it.
addEventListener('storage', apply);

/** Shows the stored choice in its form, and stores each change of it. */
export function offerAppearance(form: HTMLElement): void {
  const boxes = [...form.querySelectorAll('input')];
  const stored = new Set(chosen());
  for (const box of boxes) box.checked = stored.has(`${box.name} ${box.value}`);
  form.addEventListener('change', () => {
    writeStored(
      STORAGE_KEY,
      boxes.filter(({ checked }) => checked).map(({ name, value }) => `${name} ${value}`),
    );
    apply();
  });
}

/** Whether the reader wants keys: a program that speaks may type letters. */
export function hasKeys(): boolean {
  return chosen().includes('keys yes');
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
  dataset.dense = chosen().includes('dense yes') ? 'yes' : 'no';
}
