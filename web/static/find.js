// Search in an exported directory: the page of all servers fetches a few small
// files of an index and shows matching servers. Without this file the lists of
// the export still work. web/export/index.go describes the files.
(() => {
  "use strict";
  const form = document.querySelector("form[data-find]");
  if (!form) return;
  const here = location.href.split(/[?#]/)[0];
  const listed = document.getElementById("results");
  const cache = new Map();
  const get = (name) => {
    if (!cache.has(name)) cache.set(name, fetch(name).then((response) => {
      if (!response.ok) throw new Error(name + ": " + response.status);
      return response.json();
    }).catch((e) => { cache.delete(name); throw e; }));
    return cache.get(name);
  };
  const filters = ["category", "effect", "readOnly", "official", "secrets", "liveness", "has", "grade", "sdk", "transport", "license"];
  const known = ["q", "sort", "tag", "owner", "page", ...filters];

  // Words in lower case, without accents and possessive endings. Characters of
  // scripts without spaces are words by themselves.
  const alone = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
  const word = new RegExp("[" + alone + "]|(?:(?![" + alone + "])[\\p{L}\\p{N}\\p{M}])+", "gu");
  const wordsOf = (text) => text.normalize("NFKD").replace(/\p{Mn}/gu, "").toLowerCase()
    .replace(/['’](?:s|t|d|m|ll|re|ve)(?![\p{L}\p{N}])/gu, " ").match(word) || [];
  const shardOf = (word) => {
    const letters = [...word];
    return [0, 1].map((n) => (/^[a-z0-9]$/.test(letters[n] || "") ? letters[n] : "_")).join("");
  };

  // Returns the words to search for: without stop words unless there are no
  // others, and with the first of words and phrases that mean the same.
  const read = (how, text) => {
    const all = wordsOf(text), told = all.filter((w) => !how.stop.includes(w));
    const words = told.length ? told : all, out = [];
    for (let i = 0; i < words.length;) {
      let n = Math.min(words.length - i, 4);
      while (n && !Object.hasOwn(how.same, words.slice(i, i + n).join(" "))) n--;
      out.push(...(n ? how.same[words.slice(i, i + n).join(" ")].split(" ") : [words[i]]));
      i += n || 1;
    }
    return [...new Set(out)].slice(0, how.least.length - 1);
  };
  const foldTag = (how, tag) => {
    const words = tag.toLowerCase().replaceAll("-", " ");
    return Object.hasOwn(how.same, words) ? how.same[words].replaceAll(" ", "-") : tag.toLowerCase();
  };

  // Returns what a word of the index is worth for each server: 2 in its name,
  // owner or tags, 1 elsewhere, 0 if it does not have it.
  const fileOf = (index, word) => (index.words.includes(shardOf(word)) ? get("search/words/" + shardOf(word) + ".json") : {});
  const add = (fit, file, word, share) => {
    if (!Object.hasOwn(file, word)) return;
    const { weak = [], strong = [], stem } = file[word];
    for (const [list, worth] of [[weak, share], [strong, 2 * share]]) {
      let n = -1;
      for (const step of list) { n += step; fit[n] = Math.max(fit[n], worth); }
    }
    if (stem) add(fit, file, stem, share);
  };
  const exactly = async (index, word) => {
    const fit = new Float32Array(index.servers);
    add(fit, await fileOf(index, word), word, 1);
    return fit;
  };
  const count = (fit) => fit.reduce((n, worth) => n + (worth > 0), 0);

  // The same for a word of a text: also with another ending, and if it is rare
  // and may still be being typed, for longer words.
  const inexactly = async (index, how, word, typing) => {
    const fit = await exactly(index, word), file = await fileOf(index, word);
    if (!Object.hasOwn(file, word)) {
      const without = ["s", "es", "d", "ed", "ing"].filter((e) => word.endsWith(e)).map((e) => word.slice(0, -e.length));
      add(fit, file, without.find((w) => w.length > 2 && Object.hasOwn(file, w)), 1);
    }
    if (typing && [...word].length > 1 && count(fit) <= how.rare) {
      for (const w of Object.keys(file)) if (w.startsWith(word)) add(fit, file, w, 0.3);
    }
    return fit;
  };

  // Returns which servers a text matches, as the site decides it: those with a
  // rare word or several words, or if they are few, with any word. The rank
  // rises with the rarity of the words and their share that a server has. Those with all words
  // of a short text are whole.
  const match = async (index, how, text) => {
    const words = read(how, text), last = wordsOf(text).at(-1);
    const fits = await Promise.all(words.map((w) => inexactly(index, how, w, w === last && words.length <= 3)));
    const having = fits.map(count);
    const rarity = having.map((n) => Math.log(1 + (index.servers - n + 0.5) / (n + 0.5)) ** 2);
    const rank = new Float32Array(index.servers), any = [], several = [], whole = new Set();
    for (let n = 0; n < index.servers; n++) {
      const with_ = words.map((_, k) => k).filter((k) => fits[k][n]);
      if (!with_.length) continue;
      rank[n] = with_.reduce((sum, k) => sum + fits[k][n] * rarity[k], 0) * with_.length / words.length;
      any.push(n);
      if (with_.length === words.length && words.length <= 4) whole.add(n);
      if (with_.length >= how.least[words.length] || with_.some((k) => having[k] <= how.rare)) several.push(n);
    }
    return { rank, found: new Set(several.length < how.enough ? any : several), whole, some: words.length > 1 && words.length <= 4 && !whole.size };
  };

  // Returns the servers that are asked for. Of a text in the order of relevance, those with all
  // words are found, and the others are the rest, if split is set and both exist.
  const find = async (asked, split = true) => {
    const [index, how] = await Promise.all([get("search/index.json"), get("search/text.json")]);
    const text = asked.get("q") && await match(index, how, asked.get("q"));
    const exact = await Promise.all([
      ...asked.getAll("tag").map((t) => exactly(index, "#" + foldTag(how, t))),
      ...asked.getAll("owner").map((o) => exactly(index, "@" + o.toLowerCase())),
    ]);
    // The values of a server as numbers: those of a trait, or bits of its ways.
    const from = { transport: 0, has: index.transports.length, official: index.transports.length + 2 };
    const values = { ...index.values, transport: index.transports, has: ["package", "remote"], official: ["true"] };
    const ways = (n) => index.ways.charCodeAt(n) - 48;
    const trait = (f, n) => index.traits[f].charCodeAt(n) - 49;
    const counts = {};
    for (const f of filters) counts[f] = new Uint32Array(values[f].length);
    const tally = (f, n) => {
      if (f in from) counts[f].forEach((_, k) => { counts[f][k] += ways(n) >> (k + from[f]) & 1; });
      else if (trait(f, n) >= 0) counts[f][trait(f, n)]++;
    };
    const tests = filters.filter((f) => asked.has(f)).map((f) => {
      const chosen = asked.getAll(f).map((v) => values[f].findIndex((x) => x.toLowerCase() === v.toLowerCase())).filter((k) => k >= 0);
      if (f === "has" || f === "official") return [f, (n) => chosen.every((k) => ways(n) >> (k + from[f]) & 1)];
      if (f === "transport") return [f, (n) => chosen.some((k) => ways(n) >> k & 1)];
      return [f, (n) => chosen.includes(trait(f, n))];
    });
    split &&= text && !asked.get("sort") && text.whole.size > 0;
    const found = [], rest = [];
    next: for (let n = 0; n < index.servers; n++) {
      if (text && !text.found.has(n) || exact.some((fit) => !fit[n])) continue;
      let failed = null;
      for (const [f, test] of tests) if (!test(n)) { if (failed) continue next; failed = f; }
      if (split && !text.whole.has(n)) { if (!failed) rest.push(n); continue; }
      // A value is counted as if no other value of its filter were chosen.
      if (!failed) { found.push(n); filters.forEach((f) => tally(f, n)); } else if (failed !== "has") tally(failed, n);
    }
    if (!found.length && rest.length) return find(asked, false);
    const result = { index, how, found, rest, values, counts, some: text && (text.some || !split && !asked.get("sort") && text.whole.size > 0) };
    const sort = asked.get("sort");
    if (sort && sort !== "recommended") {
      const order = await get("search/order/" + sort + ".json"), set = new Set(found);
      result.found = order.filter((n) => set.has(n));
    } else if (!sort && text) for (const list of [found, rest]) list.sort((a, b) => text.rank[b] - text.rank[a] || a - b);
    return result;
  };

  const element = (name, attributes, ...inside) => {
    const e = document.createElement(name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    e.append(...inside);
    return e;
  };
  const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
  const address = (fields) => here + (fields.toString() ? "?" + fields : "");
  const changed = (asked, f) => { const p = new URLSearchParams(asked); p.delete("page"); f(p); return p; };

  const made = async (asked) => {
    const { index, how, found, rest, values, counts, some } = await find(asked);
    const size = index.perPage, pages = Math.max(1, Math.ceil(found.length / size));
    const page = Math.min(pages, Math.max(1, parseInt(asked.get("page"), 10) || 1));
    const shown = found.slice((page - 1) * size, page * size);
    // The rows are rendered by the template of lists.
    const rowsOf = async (numbers) => {
      const files = await Promise.all(numbers.map((n) => get("search/rows/" + Math.floor(n / index.perFile) + ".json")));
      const rows = new DOMParser().parseFromString("<ol class=\"rows\">" + numbers.map((n, i) => files[i][n % index.perFile]).join("") + "</ol>", "text/html");
      return document.adoptNode(rows.body.firstElementChild);
    };
    const q = asked.get("q");
    const results = listed.cloneNode(true);
    results.querySelector("noscript")?.remove();
    results.querySelector("h1").textContent = q ? "Results for “" + q + "”" : "Servers";
    const first = (page - 1) * size + 1;
    results.querySelector("[role=status]").textContent = shown.length
      ? grouped(first) + " to " + grouped(first + shown.length - 1) + " of " + grouped(found.length) + (found.length === 1 ? " server" : " servers") : "0 servers";
    if (rest.length) results.querySelector("[role=status]").append(" · " + grouped(rest.length) + " more " + (rest.length === 1 ? "matches" : "match") + " less well");
    const chips = element("ul", { class: "chips on", "aria-label": "Active filters" });
    for (const [k, v] of asked) {
      if (k === "sort" || k === "page") continue;
      const without = changed(asked, (p) => {
        const rest = p.getAll(k).filter((x) => x !== v);
        p.delete(k);
        rest.forEach((x) => p.append(k, x));
      });
      const value = index.names[k + "=" + v] || v;
      const name = k === "q" ? "“" + v + "”" : (index.names[k] || k[0].toUpperCase() + k.slice(1)) + ": " + value;
      chips.append(element("li", {}, element("a", { href: address(without) }, name + " ×", element("span", { class: "unseen" }, " (remove)"))));
    }
    results.querySelector("ul.chips")?.remove();
    if (chips.childElementCount) results.querySelector(".listhead").after(chips);
    const list = element("div", { class: "list", id: "list", tabindex: "-1" });
    if (shown.length) {
      if (some) list.append(element("p", { class: "quiet" }, "No server matches all words. These mention some of them."));
      list.append(await rowsOf(shown));
      const to = (n) => address(changed(asked, (p) => { if (n > 1) p.set("page", n); }));
      if (pages > 1) {
        list.append(element("nav", { class: "pages", "aria-label": "Pages" },
          page > 1 ? element("a", { rel: "prev", href: to(page - 1) }, "← Previous") : element("span", {}),
          element("ul", {}, element("li", {}, "Page " + grouped(page) + " of " + grouped(pages))),
          page < pages ? element("a", { rel: "next", href: to(page + 1) }, "Next →") : element("span", {})));
      }
      if (rest.length) list.append(element("details", { class: "more" }, element("summary", {}, grouped(rest.length) + " more " + (rest.length === 1 ? "server matches" : "servers match") + " less well"), await rowsOf(rest.slice(0, size))));
    } else {
      const less = [];
      const loosen = async (text, fields) => less.push([text, fields, (await find(fields)).found.length]);
      const words = read(how, q || "");
      if (words.length > 1) for (const w of words.slice(0, 4)) await loosen("Search only for “" + w + "”", changed(asked, (p) => p.set("q", w)));
      for (const k of new Set([...asked.keys()])) {
        if (k !== "sort" && k !== "page") await loosen(k === "q" ? "Remove “" + q + "”" : "Remove “" + (index.names[k] || k) + "”", changed(asked, (p) => p.delete(k)));
      }
      const box = element("div", { class: "empty" }, element("p", {}, element("b", {}, "No servers match.")));
      const some = less.filter(([, , n]) => n).sort((a, b) => b[2] - a[2]);
      if (some.length) box.append(element("p", {}, "Try:"), element("ul", {}, ...some.map(([text, fields, n]) =>
        element("li", {}, element("a", { href: address(fields) }, text), " ", element("span", { class: "quiet" }, grouped(n) + (n === 1 ? " server" : " servers"))))));
      list.append(box);
    }
    // The index of an export has fewer texts than that of the site.
    if (q) list.append(element("p", { class: "quiet" }, "This copy searches names, owners, tags, descriptions and tool names. It does not search READMEs or tool descriptions, and does not correct spelling."));
    results.querySelector(".list").replaceWith(list);
    // As on the site, a click on a value adds or removes it, and its number is how
    // many servers the list has then.
    const sections = filters.map((f) => {
      const chosen = (v) => asked.getAll(f).some((x) => x.toLowerCase() === v.toLowerCase());
      let of = values[f].map((v, k) => [v, counts[f][k]]).filter(([v, n]) => n || chosen(v));
      if (!["grade", "has", "effect"].includes(f)) of.sort(([v, n], [w, m]) => m - n || (v < w ? -1 : 1));
      if (f === "license") of = of.filter(([v], k) => k < index.perFilter || chosen(v));
      if (!of.length) return "";
      return element("section", { "aria-label": index.names[f] }, element("h2", {}, index.names[f]), element("ul", {}, ...of.map(([v, n]) => {
        const is = chosen(v);
        return element("li", {}, element("a", { rel: "nofollow", "data-filter": new URLSearchParams([[f, v]]), ...(is && { "aria-current": "true" }), href: address(changed(asked, (p) => {
          const rest = p.getAll(f).filter((x) => x.toLowerCase() !== v.toLowerCase());
          p.delete(f);
          rest.forEach((x) => p.append(f, x));
          if (!is) p.append(f, v);
        })) }, element("span", { class: "box", "aria-hidden": "true" }, is ? "✓" : ""), element("span", {}, index.names[f + "=" + v] || v), " ", element("span", { class: "n" }, grouped(n))));
      })));
    });
    // Filters of one name are one section.
    for (let n = sections.length - 1; n > 0; n--) {
      const before = sections[n - 1];
      if (before && sections[n] && before.getAttribute("aria-label") === sections[n].getAttribute("aria-label")) {
        before.lastChild.append(...sections[n].lastChild.children);
        sections[n] = "";
      }
    }
    results.querySelector(".facets").replaceChildren(...sections);
    return results;
  };

  const asked = new URLSearchParams();
  for (const [k, v] of new URLSearchParams(location.search)) if (known.includes(k) && v.trim() && v.length <= 200) asked.append(k, v.trim());
  form.querySelectorAll("input[type=hidden]").forEach((i) => i.remove());
  for (const [k, v] of asked) if (k === "tag" || k === "owner" || filters.includes(k)) form.append(element("input", { type: "hidden", name: k, value: v }));
  if (asked.get("q")) form.elements.q.value = asked.get("q");
  if (asked.get("sort")) form.elements.sort.value = asked.get("sort");

  // Text searches are sorted by relevance unless another order is chosen.
  const orders = () => {
    const order = form.elements.sort, searched = !!form.elements.q.value.trim(), had = order.querySelector("[data-relevance]");
    const usual = [...order.options].find((o) => o.textContent === "Recommended");
    if (searched && !had) {
      const chosen = order.value;
      usual.value = "recommended";
      order.prepend(element("option", { value: "", "data-relevance": "" }, "Best match"));
      order.value = chosen;
    } else if (!searched && had) {
      const chosen = order.value;
      had.remove();
      usual.value = "";
      order.value = chosen === "recommended" ? "" : chosen;
    }
  };
  orders();
  if (asked.get("sort")) form.elements.sort.value = asked.get("sort");

  let turn = 0;
  const run = async (fields) => {
    const mine = ++turn;
    const put = (results) => {
      results.removeAttribute("aria-busy");
      document.getElementById("results").replaceWith(results);
    };
    if (![...fields.keys()].length) { put(listed); return; }
    document.getElementById("results").setAttribute("aria-busy", "true");
    try {
      const results = await made(fields);
      if (mine === turn) put(results); // otherwise more was typed in the meantime
    } catch {
      if (mine !== turn) return;
      const all = listed.cloneNode(true);
      all.querySelector("[role=status]").textContent = "The search index could not be loaded. The list below shows all servers.";
      put(all);
    }
  };
  let timer;
  const typed = () => {
    orders();
    const fields = new URLSearchParams(new FormData(form));
    for (const [k, v] of [...fields]) if (!v.trim() || k === "sort" && v === "recommended" && !fields.get("q")?.trim()) fields.delete(k);
    history.replaceState(null, "", address(fields));
    run(fields);
  };
  form.addEventListener("input", (e) => { clearTimeout(timer); timer = setTimeout(typed, e.target.type === "search" ? 200 : 0); });
  form.addEventListener("submit", (e) => { e.preventDefault(); clearTimeout(timer); typed(); });
  if ([...asked.keys()].length) run(asked);
})();
