import { invalid } from "./errors.js";
import type { RequestOptions } from "./options.js";
import { APIPromise } from "./promise.js";
import { after, type Request } from "./request.js";
import type { APIResponse } from "./response.js";
import type { Transport } from "./transport.js";
import type {
  ChangePage,
  PageNumbers,
  Pagination,
  ServerEntryList,
  WebhookDeliveries,
} from "./types.js";

/** The body of a page without its items. */
export interface Paged {
  pagination: Pagination | PageNumbers;
}

/** Pagination of a kind of list. */
export interface Paging<Body> {
  /** Parameter for the cursor. */
  readonly parameter: "cursor" | "after" | "before";
  /** Reports whether a response body is a page. */
  isPage(body: Partial<Body>): boolean;
  /** Cursor of the next page; null on the last page. */
  next(body: Body): string | null;
  total(body: Body): number | null;
}

/** Lists with a total. */
const COUNTED: Paging<Paged> = {
  parameter: "cursor",
  isPage: (body) => typeof body.pagination?.total === "number",
  next: (body) => body.pagination.nextCursor || null,
  total: (body) => body.pagination.total,
};

/** Lists in the format of the official registry. */
export const ENTRIES: Paging<ServerEntryList> = {
  parameter: "cursor",
  isPage: (body) => typeof body.metadata === "object" && body.metadata !== null,
  next: (body) => body.metadata.nextCursor || null,
  total: () => null,
};

/** Change feeds. */
export const CHANGES: Paging<Pick<ChangePage, "next" | "hasMore">> = {
  parameter: "after",
  isPage: (body) => typeof body.next === "number",
  next: (body) => (body.hasMore ? String(body.next) : null),
  total: () => null,
};

/** Deliveries of webhooks. */
export const DELIVERIES: Paging<WebhookDeliveries> = {
  parameter: "before",
  isPage: (body) => body.before === null || typeof body.before === "number",
  next: (body) => (body.before === null ? null : String(body.before)),
  total: () => null,
};

/**
 * A page of a list. Iterating over it continues with the following pages.
 *
 * The next page is requested by cursor when the items of a page have been consumed: items are
 * neither skipped nor repeated while data changes.
 */
export class Page<Item, Body = Paged> implements AsyncIterable<Item> {
  /** The items of this page. */
  readonly items: Item[];
  readonly #response: APIResponse<Body>;
  readonly #next: (cursor: string) => Promise<Page<Item, Body>>;
  readonly #cursor: unknown;
  readonly #paging: Paging<any>;

  /** @internal */
  constructor(
    response: APIResponse<Body>,
    items: Item[],
    next: (cursor: string) => Promise<Page<Item, Body>>,
    cursor: unknown,
    paging: Paging<any>,
  ) {
    this.items = items;
    this.#response = response;
    this.#next = next;
    this.#cursor = cursor;
    this.#paging = paging;
  }

  /** The response with its headers. */
  get response(): APIResponse<Body> {
    return this.#response;
  }

  /** The whole body, with what the list has beside its items. */
  get body(): Body {
    return this.#response.data;
  }

  /** The number of items on all pages; null for lists that do not say it. */
  get total(): Body extends Paged ? number : null {
    return this.#paging.total(this.body) as Body extends Paged ? number : null;
  }

  /** Cursor of the next page; null on the last page. */
  get nextCursor(): string | null {
    return this.#paging.next(this.body);
  }

  /** Reports whether there is a next page. */
  hasNextPage(): boolean {
    return this.nextCursor !== null;
  }

  /** Requests the next page; null after the last one. */
  async getNextPage(): Promise<Page<Item, Body> | null> {
    const cursor = this.nextCursor;
    if (cursor === null) return null;
    if (cursor === this.#cursor) {
      throw invalid(this.#response, "the cursor of the next page is that of this page");
    }
    return this.#next(cursor);
  }

  /** Iterates over this page and the following ones. */
  async *iterPages(): AsyncGenerator<Page<Item, Body>, void, undefined> {
    for (let page: Page<Item, Body> | null = this; page; page = await page.getNextPage()) {
      yield page;
    }
  }

  /** Iterates over the items of this page and the following ones. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.iterPages()) yield* page.items;
  }
}

/**
 * A list: `await` returns its first page, and `for await` iterates over the items of all pages.
 * If a page fails, the iteration throws after the items before it.
 */
export class PagePromise<Item, Body = Paged>
  extends APIPromise<Page<Item, Body>, Body>
  implements AsyncIterable<Item>
{
  readonly #page: Promise<Page<Item, Body>>;

  /** @internal */
  constructor(page: Promise<Page<Item, Body>>) {
    super(
      () => page,
      () => page.then((p) => p.response),
    );
    this.#page = page;
  }

  /** Iterates over the pages. */
  async *iterPages(): AsyncGenerator<Page<Item, Body>, void, undefined> {
    yield* (await this.#page).iterPages();
  }

  /** Iterates over the items of all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    yield* await this.#page;
  }
}

/** Returns the list whose items are in a member of the responses. */
export function list<Item, Member extends string, Body extends Record<Member, Item[]>>(
  transport: Transport,
  member: Member,
  request: () => Request,
  options: RequestOptions | undefined,
  paging: Paging<any> = COUNTED,
): PagePromise<Item, Body> {
  const load = async (request: Request, cursor: unknown): Promise<Page<Item, Body>> => {
    const response = await transport.get<Body>(request, options);
    const body: Partial<Body> = response.data;
    if (!Array.isArray(body[member]) || !paging.isPage(body)) {
      throw invalid(response, `the response is not a list of ${member}`);
    }
    const next = (cursor: string) => load(after(request, cursor, paging.parameter), cursor);
    return new Page(response, response.data[member], next, cursor, paging);
  };
  const start = async () => {
    const first = request();
    const given = (first.body ?? first.query) as Record<string, unknown> | undefined;
    const start = given?.[paging.parameter];
    return load(first, start === undefined ? undefined : String(start));
  };
  return new PagePromise(start());
}
