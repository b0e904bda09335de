/** Alerts by sound, title of the tab or desktop notification, as the reader chose in this browser. */
import type { NewsAlert } from '../shared/news.ts';
import { byId } from './head.ts';
import { checkedIn, checkStored, readStored, writeStored } from './storage.ts';

const STORAGE_KEY = 'touchline.alerts';
/** Time for which an alert stays in the title of the tab, milliseconds. */
const TITLE_MS = 8_000;

/** Notes of the sound for each kind of alert, hertz, in order. */
const NOTES: Readonly<Record<NewsAlert['kind'], readonly number[]>> = {
  goal: [660, 880],
  cancelled: [660, 440],
  red_card: [550, 330, 550],
  halted: [330],
  safe: [440, 660],
  feed_down: [220, 220, 220],
};
const NOTE_SECONDS = 0.14;

let context: AudioContext | undefined;
const title = document.title;
let titleTimer: ReturnType<typeof setTimeout> | undefined;

/** Shows the stored choice of alerts, and stores each change of it. */
export function offerAlerts(): void {
  const stored = readStored(STORAGE_KEY);
  if (stored !== null) checkStored(byId('alerts'), stored);
  byId('alerts').addEventListener('change', ({ target }) => {
    if (target instanceof HTMLInputElement && target.checked) void requestPermission(target);
    store();
  });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && titleTimer === undefined) document.title = title;
  });
  showState();
}

/** Alerts the reader in the chosen ways, if the kind of the alert is chosen. */
export function alertReader({ kind, words }: NewsAlert): void {
  const chosen = checkedIn(byId('alerts'));
  if (!chosen.includes(`kind ${kind}`)) return;
  if (chosen.includes('way title')) showTitle(words);
  if (chosen.includes('way sound')) void play(NOTES[kind]);
  if (chosen.includes('way desktop') && 'Notification' in globalThis && Notification.permission === 'granted')
    new Notification('Touchline', { body: words });
}

/** Requests the browser's permission for a way that was just chosen: browsers allow it only during a click. */
async function requestPermission(box: HTMLInputElement): Promise<void> {
  if (box.value === 'sound') await play([660]);
  if (box.value !== 'desktop') return;
  const answer = 'Notification' in globalThis ? await Notification.requestPermission() : 'denied';
  if (answer === 'granted') return;
  box.checked = false;
  store();
}

function store(): void {
  writeStored(STORAGE_KEY, checkedIn(byId('alerts')));
  showState();
}

function showState(): void {
  const isOn = checkedIn(byId('alerts')).some((one) => one.startsWith('way '));
  byId('alerts-state').textContent = isOn ? 'on' : 'off';
}

/** Shows words as the title of the tab for a while, and until the tab is visible. */
function showTitle(words: string): void {
  document.title = words;
  clearTimeout(titleTimer);
  titleTimer = setTimeout(() => {
    titleTimer = undefined;
    if (!document.hidden) document.title = title;
  }, TITLE_MS);
}

async function play(notes: readonly number[]): Promise<void> {
  context ??= new AudioContext();
  // Browsers play nothing before the first click on the page.
  if (context.state !== 'running') await context.resume();
  const { currentTime, destination } = context;
  for (const [n, hertz] of notes.entries()) {
    const [note, volume] = [context.createOscillator(), context.createGain()];
    const at = currentTime + n * NOTE_SECONDS;
    note.frequency.value = hertz;
    volume.gain.setValueAtTime(0.2, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + NOTE_SECONDS);
    note.connect(volume).connect(destination);
    note.start(at);
    note.stop(at + NOTE_SECONDS);
  }
}
