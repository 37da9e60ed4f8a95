import type { HttpHeaders, HttpResponse } from '../api/http.js';
import type { Quota } from '../api/rate-limit-headers.js';
import type { ApiKeyRecord } from './api-keys.js';
import type { Database } from './sql.js';

/** A request that a server received. */
export interface ServerRequest {
  readonly method: string;
  /** The request target: path and query, or a URL. */
  readonly target: string;
  readonly headers: HttpHeaders;
  /** Whether the client uses TLS, which a reverse proxy ends. */
  readonly isTls?: boolean | undefined;
  readonly body?: Uint8Array | undefined;
  /** Returns the body, or its beginning beyond the maximum size. Without this member, `body` is complete. */
  readonly readBody?: (() => Promise<Uint8Array>) | undefined;
}

/** A request on its way through the server: matched once, and completed by what the server finds out. */
export interface RequestContext extends ServerRequest {
  /** Identifies the request in the log and in its response; empty in the sandbox. */
  readonly id: string;
  /** Address of the client. */
  readonly address: string;
  /** Host and port that the request is for. */
  readonly authority: string;
  readonly path: string;
  readonly query: string;
  /** Undefined if nothing has this path. */
  readonly resource: Resource | undefined;
  /** Undefined if nothing has this path and method. */
  readonly route: Route | undefined;
  /** The API key, once it was found to be valid. */
  key: ApiKeyRecord | undefined;
  /** Known once the request is counted. */
  quota: Required<Quota> | undefined;
  /** Code of the error that the response reports. */
  errorCode: string | undefined;
}

/** What a path offers. */
export interface Resource {
  /** Path template. */
  readonly path: string;
  /** Whether it needs no API key and is not counted. */
  readonly isPublic: boolean;
  /** By method. */
  readonly routes: ReadonlyMap<string, Route>;
}

export interface Route {
  /** Operation id in the API spec; undefined for a public resource. */
  readonly operation: string | undefined;
  /** Whether its request has a body of JSON. */
  readonly needsBody: boolean;
  readonly handle: (context: RequestContext, services: Services) => Promise<HttpResponse>;
}

/** What operations need besides the request. */
export interface Services {
  readonly database: Database;
  /** Returns the response to `GET /pets` with this query. */
  readonly listPets: (query: string) => Promise<HttpResponse>;
  /** Rejects with a `DatabaseError` if requests to the API would fail, with a `Rejection` during shutdown. */
  readonly checkHealth: () => Promise<void>;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** The body; empty if the route needs none. */
  readonly body: Uint8Array;
}

/** Returns the response to a request. Rejects with a `Rejection` if it is invalid. */
export type Respond = (context: RequestContext) => Promise<HttpResponse>;
