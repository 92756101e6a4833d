// What the browser tests ask a page. It is put into pages by the tests, never
// served.
const census = (() => {
  const shown = (e) => e.checkVisibility({ visibilityProperty: true });
  const name = (e) => {
    if (!e || e === document.body || e === document.documentElement) return e ? e.tagName.toLowerCase() : "nothing";
    const text = (e.getAttribute("aria-label") || e.textContent || e.getAttribute("name") || "").trim().replace(/\s+/g, " ").slice(0, 40);
    return e.tagName.toLowerCase() + (e.id ? "#" + e.id : "") + [...e.classList].map((c) => "." + c).join("") + (text ? ` “${text}”` : "");
  };

  // Elements that a keyboard must reach, in the document's order. Of radio
  // buttons of one name, one.
  const reachable = () => {
    const radios = new Set();
    return [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]")].filter((e) => {
      if (e.tabIndex < 0 || e.disabled || !shown(e) || e.closest("[inert]")) return false;
      if (e.tagName === "SUMMARY" && e.parentElement?.querySelector(":scope > summary") !== e) return false;
      if (e.type !== "radio") return true;
      const group = [...document.querySelectorAll(`input[type=radio][name="${CSS.escape(e.name)}"]`)];
      if (e !== (group.find((r) => r.checked) || group[0]) || radios.has(e.name)) return false;
      radios.add(e.name);
      return true;
    });
  };
  let stops = [], plain = [];
  const look = (e) => {
    const s = getComputedStyle(e);
    return [s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 1 ? s.outline : "", s.boxShadow, s.borderTopColor, s.borderBottomColor].join("|");
  };

  // Begins a walk with the Tab key from the top of the document, or with Shift
  // from its end, and returns the names of what it must pass.
  const begin = (backwards) => {
    document.activeElement?.blur();
    stops = reachable();
    if (backwards) stops.reverse();
    plain = stops.map(look);
    document.getElementById("walk")?.remove();
    const edge = document.createElement("span");
    edge.id = "walk";
    edge.tabIndex = -1;
    if (backwards) document.body.append(edge); else document.body.prepend(edge);
    edge.focus();
    scrollTo(0, backwards ? document.body.scrollHeight : 0);
    return stops.map(name);
  };

  // Says where the focus is: which stop (-1 for none), and what is wrong with
  // how it is shown. Of a date, the day, the month, the year and the calendar
  // are stops of their own (parts).
  const step = () => {
    const e = document.activeElement, at = stops.indexOf(e), wrong = [];
    if (!e || e === document.body) return { at: -2, name: "nothing", wrong };
    if (at < 0) {
      const s = getComputedStyle(e); // a box that scrolls is a stop by itself
      const scrolls = /auto|scroll/.test(s.overflowX + s.overflowY);
      return { at: scrolls ? -3 : -1, name: name(e), wrong };
    }
    if (look(e) === plain[at]) wrong.push("looks the same with the focus");
    const box = [...e.getClientRects()].find((r) => r.width > 1 && r.height > 1);
    if (!box) wrong.push("has no size");
    else {
      const x = Math.min(Math.max(box.left + box.width / 2, 0), innerWidth - 1), tall = box.height > innerHeight; // of such a box, a part is in the window
      const y = tall ? (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2 : box.top + Math.min(box.height / 2, innerHeight / 2 - 1);
      if (y < 0 || y >= innerHeight || tall && (box.bottom <= 0 || box.top >= innerHeight) || box.right <= 0 || box.left >= innerWidth) wrong.push(`is outside of the window (${Math.round(box.left)}, ${Math.round(box.top)})`);
      else {
        const over = document.elementFromPoint(x, y);
        if (over && over !== e && !e.contains(over) && !over.contains(e) && !e.labels?.length) wrong.push("is covered by " + name(over));
      }
    }
    return { at, name: name(e), wrong, parts: e.type === "date" };
  };

  // Stops that come after one that stands below them, in the same column: the
  // eye goes on where the focus does not.
  const order = () => {
    const wrong = [], place = (e) => {
      const r = e.getBoundingClientRect();
      return r.width > 1 && r.right > 0 && { top: r.top + scrollY, bottom: r.bottom + scrollY, left: r.left, right: r.right };
    };
    let last, before;
    for (const e of reachable()) {
      const at = place(e);
      if (!at) continue; // comes into sight with the focus
      if (last && !before.contains(e) && at.bottom <= last.top && at.left < last.right && at.right > last.left) wrong.push(`${name(e)} comes after ${name(before)}, which stands below it`);
      [last, before] = [at, e];
    }
    return wrong;
  };

  // What a pointer can press and a keyboard cannot reach.
  const pressed = () => {
    const wrong = [];
    for (const e of document.querySelectorAll("body *")) {
      if (!shown(e) || getComputedStyle(e).cursor !== "pointer" || e.closest("a[href], button, summary, label, input, select, textarea")) continue;
      wrong.push(name(e) + " looks as if it could be pressed");
    }
    return wrong.slice(0, 5);
  };

  // Whether what shows the focus can be told from what is around it: 3 to 1
  // (WCAG 1.4.11), in the present colours.
  const indicators = () => {
    const wrong = new Set();
    const rgb = (c) => { const n = c.match(/[\d.]+/g).map(Number); return /^rgb/.test(c) && (n[3] ?? 1) > 0.99 ? n : null; };
    const behind = (e) => {
      for (let p = e.parentElement; p; p = p.parentElement) {
        const c = rgb(getComputedStyle(p).backgroundColor);
        if (c) return c;
      }
      return [255, 255, 255];
    };
    const light = (c) => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]) + 0.05;
    const held = document.activeElement;
    for (const e of reachable()) {
      e.focus({ focusVisible: true, preventScroll: true });
      const s = getComputedStyle(e), c = rgb(s.outlineColor);
      if (s.outlineStyle === "none" || parseFloat(s.outlineWidth) < 2 || !c) { wrong.add(`${e.tagName.toLowerCase()} shows the focus by ${s.outline}`); continue; }
      const [a, b] = [light(c), light(behind(e))], ratio = Math.max(a, b) / Math.min(a, b);
      if (ratio < 3) wrong.add(`${name(e)} shows the focus with a contrast of ${ratio.toFixed(1)}`);
    }
    held?.focus?.({ preventScroll: true });
    return [...wrong].slice(0, 5);
  };

  // Opens everything that can be folded.
  const unfold = () => document.querySelectorAll("details").forEach((d) => { d.open = true; });

  // What sticks out of the window on the right, unless it is in a box that
  // scrolls or cuts.
  const wide = () => {
    const width = document.documentElement.clientWidth, found = [];
    if (document.scrollingElement.scrollWidth <= width && innerWidth <= width + 1) return found;
    for (const e of document.querySelectorAll("body *")) {
      if (!shown(e) || e.getBoundingClientRect().right <= width + 0.5) continue;
      let held = false;
      for (let p = e.parentElement; p && p !== document.body; p = p.parentElement) {
        if (getComputedStyle(p).overflowX !== "visible") { held = true; break; }
      }
      if (!held) found.push(`${name(e)} ends at ${Math.round(e.getBoundingClientRect().right)} of ${width}`);
      if (found.length === 5) break;
    }
    return found.length ? found : [`the page is ${document.scrollingElement.scrollWidth} wide, the window ${width}`];
  };

  // The words of the page that people see, its links, and its forms.
  const content = () => {
    const main = document.querySelector("main");
    return {
      heading: document.querySelector("h1")?.innerText ?? "",
      words: (main?.innerText ?? "").split(/\s+/).filter(Boolean),
      links: [...document.querySelectorAll("a[href]")].map((a) => a.getAttribute("href")),
      forms: [...document.querySelectorAll("form")].map((f) => ({
        name: (f.getAttribute("action") || "") + " " + f.method,
        sends: !!f.querySelector("button:not([type=button]):not([type=reset]), input[type=submit], input[type=image]"),
      })),
    };
  };

  const channel = (c) => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const onWhite = (color) => {
    const c = color.match(/[\d.]+/g).map(Number);
    if (!/^rgb/.test(color)) return 21;
    const a = c[3] ?? 1;
    const [r, g, b] = c.map((v) => channel(v * a + 255 * (1 - a)));
    return 1.05 / (0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05);
  };

  // What is wrong with the page on paper, where backgrounds are white.
  const paper = () => {
    const wrong = [], main = document.querySelector("main"), seen = new Set();
    for (const e of document.querySelectorAll("nav[aria-label=Main], button")) {
      if (shown(e)) wrong.push(`${name(e)} is printed`);
    }
    if (!main || !shown(main) || main.innerText.trim().length < 20) wrong.push("there is no text");
    const walk = document.createTreeWalker(main ?? document.body, NodeFilter.SHOW_TEXT);
    for (let n = walk.nextNode(); n; n = walk.nextNode()) {
      const e = n.parentElement;
      if (!n.data.trim() || !shown(e) || e.closest("svg")) continue;
      const s = getComputedStyle(e), ratio = onWhite(s.color);
      if (ratio < 4.5 && !seen.has(s.color) && s.printColorAdjust !== "exact") { seen.add(s.color); wrong.push(`${name(e)} has contrast ${ratio.toFixed(1)} on paper`); }
    }
    return wrong.concat(wide());
  };

  const violations = async (rules) => {
    const only = rules ? { runOnly: { type: "rule", values: rules } } : {};
    const found = await axe.run(document, { resultTypes: ["violations"], preload: false, ...only });
    return found.violations.map((v) => `${v.id} (${v.impact}): ${v.help}: ` +
      v.nodes.slice(0, 4).map((n) => n.target.join(" ") + " " + (n.any[0]?.message ?? n.all[0]?.message ?? n.none[0]?.message ?? "")).join("; ") +
      (v.nodes.length > 4 ? ` and ${v.nodes.length - 4} more` : ""));
  };
  return { begin, step, order, pressed, indicators, unfold, wide, content, paper, violations };
})();
globalThis.census = census;
