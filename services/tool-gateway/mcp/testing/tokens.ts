import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** Tokenizers differ: another one counts up to so many times what this one does. */
const MARGIN = 1.15;

/** What a text costs an assistant, judged on the high side: tokens of o200k_base and 15 %. */
export function tokensOf(text: string): number {
  return Math.ceil(countTokens(text) * MARGIN);
}
