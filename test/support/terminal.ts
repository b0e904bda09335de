/** Runs the command line on a pseudo terminal, and keeps the visible screen. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { atEnd } from './at-end.ts';
import { commandLine } from './bundled.ts';
import { bareEnvironment } from './environment.ts';
import { until, untilTrue } from './poll.ts';

const SEQUENCE = new RegExp(`${'\u001b'}\\[(\\??[\\d;]*)([A-Za-z])|([\\s\\S])`, 'gu');

export type Size = { readonly columns: number; readonly rows: number };

/** The cells of a terminal, for the functions that `touchline` uses: text, line ends, moving up, clearing. */
class Cells {
  #lines: string[][] = [[]];
  #row = 0;
  #column = 0;
  #columns: number;

  constructor(columns: number) {
    this.#columns = columns;
  }

  get lines(): string[] {
    return this.#lines.map((line) =>
      Array.from(line, (cell) => cell ?? ' ')
        .join('')
        .trimEnd(),
    );
  }

  /** Wraps the content again, as terminals do; the cursor stays at its text. */
  resize(columns: number): void {
    this.#columns = columns;
    const before = this.#row;
    const wrapped = this.#lines.map((line) => {
      const parts: string[][] = [];
      for (let at = 0; at < Math.max(1, line.length); at += columns) parts.push(line.slice(at, at + columns));
      return parts;
    });
    this.#row = wrapped.slice(0, before).flat().length;
    this.#lines = wrapped.flat();
  }

  write(text: string): void {
    for (const [, parameters = '', command, character] of text.matchAll(SEQUENCE)) {
      if (character !== undefined) this.#put(character);
      else if (command === 'A') this.#row = Math.max(0, this.#row - Number(parameters || 1));
      else if (command === 'H') [this.#row, this.#column] = [0, 0];
      else if (command === 'K') this.#line().length = this.#column;
      else if (command === 'J' && parameters === '2') this.#lines = [[]];
      else if (command === 'J') {
        this.#line().length = this.#column;
        this.#lines.length = this.#row + 1;
      }
    }
  }

  #put(character: string): void {
    if (character === '\r') this.#column = 0;
    else if (character === '\n') this.#next();
    else {
      if (this.#column >= this.#columns) this.#next();
      this.#line()[this.#column] = character;
      this.#column += 1;
    }
  }

  #next(): void {
    this.#row += 1;
    this.#column = 0;
    this.#line();
  }

  #line(): string[] {
    while (this.#lines.length <= this.#row) this.#lines.push([]);
    return this.#lines[this.#row] as string[];
  }
}

/** A run of `touchline` on a terminal; it is stopped after the test. */
export class TerminalRun {
  readonly child: ChildProcess;
  /** The whole output, with control sequences. */
  raw = '';
  readonly ended: Promise<number | NodeJS.Signals>;
  readonly #cells: Cells;
  readonly #size: Size;
  #device = '';

  constructor(args: readonly string[], env: Readonly<Record<string, string>>, size: Size) {
    this.#size = size;
    this.#cells = new Cells(size.columns);
    const quoted = [process.execPath, commandLine(), ...args].map((word) => `'${word}'`).join(' ');
    const command = `tty; stty cols ${size.columns} rows ${size.rows}; exec ${quoted}`;
    this.child = spawn('script', ['-qefc', command, '/dev/null'], {
      env: { ...bareEnvironment(), TERM: 'xterm-256color', ...env },
      // A closed input would end the terminal.
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    atEnd(() => this.child.kill('SIGKILL'));
    this.ended = once(this.child, 'close').then(([code, signal]) => code ?? signal);
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#read(text));
  }

  get lines(): string[] {
    return this.#cells.lines;
  }

  async shows(pattern: RegExp): Promise<void> {
    await untilTrue(`the terminal shows ${pattern}`, () =>
      this.lines.some((line) => pattern.test(line)),
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}; it shows:\n${this.lines.join('\n')}`);
    });
  }

  async resize(columns: number): Promise<void> {
    const device = await until('the terminal has a name', () => this.#device || undefined);
    this.#cells.resize(columns);
    execFileSync('stty', ['-F', device, 'cols', String(columns), 'rows', String(this.#size.rows)]);
  }

  interrupt(): void {
    this.child.stdin?.write('\u0003');
  }

  #read(text: string): void {
    this.raw += text;
    if (this.#device !== '') {
      this.#cells.write(text);
      return;
    }
    const end = this.raw.indexOf('\n');
    if (end === -1) return;
    this.#device = this.raw.slice(0, end).trim();
    this.#cells.write(this.raw.slice(end + 1));
  }
}
