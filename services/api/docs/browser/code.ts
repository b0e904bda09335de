/** What is printed as code: buttons to copy it, and JSON with its keys and values in colours. */

const SAID_MS = 2_000;
/** Keys, texts, and numbers or literals; a key is a text with a colon behind it. */
const TOKENS = /(?<text>"(?:[^"\\]|\\.)*")(?<colon>\s*:)?|\b(?:true|false|null)\b|-?\b\d[\d.eE+-]*/g;

/** Adds a button above each block; where the browser refuses pages the clipboard, as over plain HTTP, there is none. */
export function offerCopies(): void {
  if (!isSecureContext) return;
  for (const button of document.querySelectorAll<HTMLButtonElement>('button.copy')) {
    button.hidden = false;
    const words = button.textContent;
    button.addEventListener('click', async () => {
      const text = button.parentElement?.querySelector('code')?.textContent ?? '';
      const { curl } = button.dataset;
      const copy = curl === undefined ? text : `curl '${location.origin}${curl}'`;
      // A browser may refuse a page its clipboard.
      button.textContent = await navigator.clipboard.writeText(copy).then(
        () => 'Copied',
        () => 'Not copied',
      );
      setTimeout(() => {
        button.textContent = words;
      }, SAID_MS);
    });
  }
}

/** Colours JSON. They are ranges, not elements: the page has ten thousand of them. */
export function colourJson(code: Element): void {
  const [text] = code.childNodes;
  if (!(text instanceof Text) || typeof Highlight === 'undefined') return;
  for (const found of text.data.matchAll(TOKENS)) {
    const { text: quoted, colon } = found.groups ?? {};
    const range = new StaticRange({
      startContainer: text,
      startOffset: found.index,
      endContainer: text,
      endOffset: found.index + (quoted ?? found[0]).length,
    });
    highlightOf(colon !== undefined ? 'json-key' : quoted !== undefined ? 'json-text' : 'json-value').add(
      range,
    );
  }
}

function highlightOf(name: string): Highlight {
  const known = CSS.highlights.get(name) ?? new Highlight();
  CSS.highlights.set(name, known);
  return known;
}
