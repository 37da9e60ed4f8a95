import { toSafeText } from './safe-text.js';

/**
 * Quotes text as one word of PowerShell. Unsafe characters become character codes, so that the word can be shown and
 * pasted. Text with `"` reaches a program unchanged from PowerShell 7.3 on.
 */
export function quotePowerShellWord(text: string): string {
  if (toSafeText(text) === text) return quotePowerShellText(text);
  const characters = [...text].map((character) => {
    if (toSafeText(character) !== character) return `$(${characterExpression(character)})`;
    return /["$`\u201c-\u201e]/.test(character) ? `\`${character}` : character;
  });
  return `"${characters.join('')}"`;
}

/** Returns text as one word of PowerShell, in quotes if needed. Usually cmd and Git Bash read the same word. */
export function formatPowerShellWord(text: string): string {
  // PowerShell rewrites numbers: 007 becomes 7, and 1kb becomes 1024.
  const isNumber = /^[-+.]*\d/.test(text) && !/^[1-9]\d{0,17}$/.test(text);
  if (/^[\w./:+=-]+$/.test(text) && !isNumber) return text;
  // cmd knows double quotes only.
  const isLiteral = toSafeText(text) === text && !/["$`%!\n\u201c-\u201e]|\\$/.test(text);
  return isLiteral ? `"${text}"` : quotePowerShellWord(text);
}

/** Quotes text, line feeds included, that has no unsafe characters. PowerShell takes four curly quotes for `'`, too. */
export function quotePowerShellText(text: string): string {
  return `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`;
}

function characterExpression(character: string): string {
  const code = character.codePointAt(0) as number;
  const hexadecimal = `0x${code.toString(16)}`;
  return code > 0xffff ? `[char]::ConvertFromUtf32(${hexadecimal})` : `[char]${hexadecimal}`;
}
