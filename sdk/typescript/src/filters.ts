import type { Category, Grade, Sdk, Status, Transport } from "./types.js";

/** Orders of `directory.list`. Numbers and times descend, names ascend. */
export type DirectorySort =
  | "qualityScore"
  | "recommended"
  | "stars"
  | "downloads"
  | "name"
  | "updated"
  | "created"
  | (string & {});

/** Orders of `discover`; all descend. */
export type DiscoverSort = "qualityScore" | "stars" | "downloads" | (string & {});

/**
 * Orders of `search`: a field in its natural direction, `-field` (descending), `field:asc` or
 * `field:desc`.
 */
export type SearchSort =
  | "relevance"
  | "recommended"
  | "qualityScore"
  | "stars"
  | "downloads"
  | "popularity"
  | "updated"
  | "created"
  | "toolTokens"
  | "name"
  | "-stars"
  | "-downloads"
  | "-popularity"
  | "-qualityScore"
  | (string & {});

/** Conditions on a text; all must hold. */
export interface TextOperators<T extends string = string> {
  eq?: T | undefined;
  ne?: T | undefined;
  in?: readonly T[] | undefined;
  /** Whether the value is known. */
  exists?: boolean | undefined;
}

/** Conditions on a number or time; all must hold. */
export interface RangeOperators<T> {
  eq?: T | undefined;
  ne?: T | undefined;
  gt?: T | undefined;
  gte?: T | undefined;
  lt?: T | undefined;
  lte?: T | undefined;
  in?: readonly T[] | undefined;
  /** Whether the value is known. */
  exists?: boolean | undefined;
}

/** A condition on a text. */
export type TextFilter<T extends string = string> = T | readonly T[] | TextOperators<T>;

/** A condition on a number. */
export type NumberFilter = number | readonly number[] | RangeOperators<number>;

/** A condition on a time. Texts are RFC 3339. */
export type TimeFilter = Date | string | Omit<RangeOperators<Date | string>, "in">;

/** A condition on a flag. */
export type FlagFilter = boolean | { exists: boolean };

/**
 * Conditions on servers; all must hold.
 *
 * A value means equal, a list any of its values, and an object operators: eq, ne, gt, gte, lt,
 * lte, in, exists. An unknown value satisfies only ne; `{ exists: false }` finds it.
 */
export interface Filters {
  category?: TextFilter<Category> | undefined;
  sdk?: TextFilter<Sdk> | undefined;
  language?: TextFilter | undefined;
  framework?: TextFilter | undefined;
  tags?: TextFilter | undefined;
  license?: TextFilter | undefined;
  transport?: TextFilter<Transport> | undefined;
  type?: TextFilter<"remote" | "package" | (string & {})> | undefined;
  liveness?: TextFilter<"alive" | "gated" | "down" | "unknown" | (string & {})> | undefined;
  registryType?: TextFilter | undefined;
  owner?: TextFilter | undefined;
  source?: TextFilter | undefined;
  status?: TextFilter<Status> | undefined;
  official?: FlagFilter | undefined;
  verified?: FlagFilter | undefined;
  copy?: FlagFilter | undefined;
  archived?: FlagFilter | undefined;
  grade?: TextFilter<Grade> | undefined;
  qualityScore?: NumberFilter | undefined;
  /** The same as `qualityScore` with gte. */
  minScore?: number | undefined;
  popularity?: NumberFilter | undefined;
  stars?: NumberFilter | undefined;
  downloads?: NumberFilter | undefined;
  toolCount?: NumberFilter | undefined;
  toolTokens?: NumberFilter | undefined;
  tools?: TextFilter | undefined;
  updatedAt?: TimeFilter | undefined;
  createdAt?: TimeFilter | undefined;
}
