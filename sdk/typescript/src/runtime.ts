import { VERSION } from "./version.js";

/** Non-standard globals of runtimes. */
interface Runtime {
  process?: {
    env?: Record<string, string | undefined>;
    versions?: Record<string, string | undefined>;
    platform?: string;
  };
  Deno?: { version?: { deno?: string }; env?: { get(name: string): string | undefined } };
  Bun?: { version?: string };
  window?: { document?: unknown };
  navigator?: { userAgent?: string };
  DedicatedWorkerGlobalScope?: unknown;
  SharedWorkerGlobalScope?: unknown;
}

const runtime = (): Runtime => globalThis as unknown as Runtime;

/** Reports whether the program runs in a web page or its workers. */
export function isBrowser(): boolean {
  const r = runtime();
  if (r.window?.document !== undefined) return true;
  const worker = r.DedicatedWorkerGlobalScope ?? r.SharedWorkerGlobalScope;
  return worker !== undefined && !r.Deno && !r.Bun && !r.process?.versions;
}

/** Returns an environment variable. */
export function environment(name: string): string | undefined {
  const r = runtime();
  try {
    return r.process?.env?.[name] ?? r.Deno?.env?.get(name);
  } catch {
    return undefined; // not permitted in Deno
  }
}

/** The header User-Agent; undefined in browsers, which set their own. */
export function userAgent(): string | undefined {
  return isBrowser() ? undefined : `census-typescript/${VERSION} (${name()})`;
}

function name(): string {
  const r = runtime();
  if (r.Deno) return `Deno ${r.Deno.version?.deno}`;
  if (r.Bun) return `Bun ${r.Bun.version}`;
  const node = r.process?.versions?.["node"];
  if (node) return `Node.js ${node}; ${r.process?.platform}`;
  return r.navigator?.userAgent?.replace(/[^\x20-\x7e]/g, "") || "unknown";
}
