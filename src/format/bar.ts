/** Draws a bar. It is full or empty only if `share`, from 0 to 1, is exactly 1 or 0. */
export function drawBar(share: number, width: number): { readonly filled: string; readonly empty: string } {
  const cells = Math.round(Math.min(1, Math.max(0, share)) * width);
  const count = share >= 1 || share <= 0 ? cells : Math.min(width - 1, Math.max(1, cells));
  return { filled: '█'.repeat(count), empty: '░'.repeat(width - count) };
}
