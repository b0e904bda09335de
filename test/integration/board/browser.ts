import { existsSync } from 'node:fs';
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer-core';
import { DEADLINE_MS } from '../../support/poll.ts';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser of the tests: the one that `CHROMIUM` names, else the machine's; null where there is none. */
export const CHROMIUM = process.env.CHROMIUM ?? PLACES.find((path) => existsSync(path)) ?? null;

/** What a name of a group of tests says where there is no browser for them. */
export const NEEDS_CHROMIUM = CHROMIUM === null ? ' (no Chromium: install it, or name it in CHROMIUM)' : '';

/** Of this worker, for its files one after the other; it ends with the worker. */
let chromium: Promise<Browser> | undefined;

/** A context of its own in Chromium: pages, storage and permissions that no other test sees. Close it. */
export async function openBrowser(): Promise<BrowserContext> {
  if (chromium === undefined) {
    const starting = startChromium();
    chromium = starting;
    (await starting).once('disconnected', () => {
      chromium = undefined;
    });
  }
  return (await chromium).createBrowserContext();
}

/** Starts Chromium without a window. It cannot make its sandbox where it runs as root. */
export async function startChromium(): Promise<Browser> {
  if (CHROMIUM === null) throw new Error(NEEDS_CHROMIUM);
  const root = process.getuid?.() === 0;
  return puppeteer.launch({
    executablePath: CHROMIUM,
    timeout: DEADLINE_MS,
    args: [...(root ? ['--no-sandbox'] : []), '--disable-dev-shm-usage', '--disable-gpu'],
  });
}

/** A page, and all that was amiss on it. */
export class Visit {
  readonly page: Page;
  /** Errors and warnings of the console, scripts that failed, files that did not come. */
  readonly complaints: string[] = [];
  /** Addresses that it asked for. */
  readonly requests: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on('console', (message) => {
      if (['error', 'warn'].includes(message.type())) this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('request', (request) => this.requests.push(request.url()));
    page.on('response', (response) => {
      if (response.status() >= 400) this.complaints.push(`${response.status()} ${response.url()}`);
    });
  }

  static async open(
    browser: Pick<BrowserContext, 'newPage'>,
    url: string,
    options: VisitOptions = {},
  ): Promise<Visit> {
    return Visit.of(await browser.newPage(), url, options);
  }

  /** The same in a page that is already there. */
  static async of(
    page: Page,
    url: string,
    { width = 1280, height = 900, features = {} }: VisitOptions = {},
  ): Promise<Visit> {
    const visit = new Visit(page);
    page.setDefaultTimeout(DEADLINE_MS);
    await page.setViewport({ width, height });
    await page.emulateMediaFeatures(Object.entries(features).map(([name, value]) => ({ name, value })));
    await page.goto(url, { waitUntil: 'load' });
    return visit;
  }

  /** Waits until the page follows what changes. */
  async live(): Promise<void> {
    await this.page.waitForSelector('#connection[data-state="live"]');
  }

  /** What an expression comes to in the page. */
  ask<T>(expression: string): Promise<T> {
    return this.page.evaluate(expression) as Promise<T>;
  }

  /** The texts of all elements that fit, as they are rendered. */
  texts(selector: string): Promise<string[]> {
    return this.ask(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.innerText.replace(/\\s+/g, ' ').trim())`,
    );
  }

  /** Waits until an expression holds in the page, which is brought to the front: browsers draw no other. */
  async until(expression: string): Promise<void> {
    await this.page.bringToFront();
    await this.page.waitForFunction(expression);
  }

  /** From now on keeps what elements that fit show for seconds only: what `of`, an expression of `one`, comes to. */
  async keep(selector: string, of: string): Promise<void> {
    await this.ask(`{
      window.kept ??= [];
      const look = () => {
        for (const one of document.querySelectorAll(${JSON.stringify(selector)})) {
          const shown = ${of};
          if (shown && !kept.includes(shown)) kept.push(shown);
        }
      };
      new MutationObserver(look).observe(document, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
    }`);
  }

  /** Waits until that was shown, since `keep`. */
  async kept(text: string): Promise<void> {
    await this.until(`window.kept.some((one) => one.includes(${JSON.stringify(text)}))`);
  }

  /** Waits until there is a text in an element that fits. */
  async shows(selector: string, text: string): Promise<void> {
    const [where, what] = [JSON.stringify(selector), JSON.stringify(text)];
    await this.until(
      `[...document.querySelectorAll(${where})].some((one) => one.textContent.replace(/\\s+/g, ' ').includes(${what}))`,
    );
  }

  async close(): Promise<void> {
    await this.page.close();
  }
}

export type VisitOptions = {
  readonly width?: number;
  readonly height?: number;
  /** Media features, e.g. `prefers-color-scheme`. */
  readonly features?: Readonly<Record<string, string>>;
};
