/** Thrown in place of sending a request: `text` is printed and the command succeeds. */
export class RequestPreview extends Error {
  override readonly name = 'RequestPreview';
  readonly text: string;

  constructor(text: string) {
    super('the request was shown, and not sent');
    this.text = text;
  }
}

/** The notice for a preview of a request that would be followed by others. */
export const firstPageNotice = 'this is the first page: curl follows no link to the next';
