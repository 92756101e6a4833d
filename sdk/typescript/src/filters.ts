import type { CategoryParam, Effect, Grade, SdkParam, Status, Transport } from "./types.js";

/** Fields that `search` sorts by. */
export type SearchField =
  | "relevance"
  | "recommended"
  | "qualityScore"
  | "stars"
  | "downloads"
  | "popularity"
  | "updated"
  | "created"
  | "toolTokens"
  | "name";

/**
 * Orders of `search`: a field in its default direction, `-field` (descending), `field:asc` or
 * `field:desc`.
 */
export type SearchSort = SearchField | `-${SearchField}` | `${SearchField}:${"asc" | "desc"}`;

/** Conditions on a string; all must match. */
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

/** A condition on a string. */
export type TextFilter<T extends string = string> = T | readonly T[] | TextOperators<T>;

/** A condition on a number. */
export type NumberFilter = number | readonly number[] | RangeOperators<number>;

/** A condition on a time. Strings are RFC 3339. */
export type TimeFilter = Date | string | Omit<RangeOperators<Date | string>, "in">;

/** A condition on a flag. */
export type FlagFilter = boolean | { exists: boolean };

/**
 * Conditions on servers; all must match.
 *
 * A value must be equal, a list must contain the value, and an object holds operators: eq, ne, gt,
 * gte, lt, lte, in, exists. Unknown values only match ne and `{ exists: false }`.
 */
export interface Filters {
  category?: TextFilter<CategoryParam> | undefined;
  sdk?: TextFilter<SdkParam> | undefined;
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
  /** Kinds of risks, such as `endpoint-down`. */
  risks?: TextFilter | undefined;
  /** The most severe known effect of the tools. */
  effect?: TextFilter<Effect> | undefined;
  readOnly?: FlagFilter | undefined;
  secrets?: FlagFilter | undefined;
  status?: TextFilter<Status> | undefined;
  official?: FlagFilter | undefined;
  verified?: FlagFilter | undefined;
  copy?: FlagFilter | undefined;
  archived?: FlagFilter | undefined;
  grade?: TextFilter<Grade> | undefined;
  qualityScore?: NumberFilter | undefined;
  /** Same as `qualityScore` with gte. */
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
