/** The one part of undici that is used; the whole package would double what a request loads. */
declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici';
}
