// Enhancements of the pages. Each part is enabled by an attribute in the
// document; without this file everything works with links and forms.
(() => {
  "use strict";
  const all = (selector, f, root = document) => root.querySelectorAll(selector).forEach(f);

  // Copy buttons beside blocks of code. A click on one inside [data-clicks] is
  // counted for the server.
  const clicked = (element) => {
    const from = element.closest("[data-clicks]");
    if (from && navigator.sendBeacon) navigator.sendBeacon(from.dataset.clicks);
  };
  const copyable = (root) => all("pre[data-copy]", (pre) => {
    const box = document.createElement("div");
    box.className = "copybox";
    pre.replaceWith(box);
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    const said = document.createElement("span");
    said.className = "said";
    said.setAttribute("role", "status");
    box.append(pre, button, said);
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(pre.textContent);
        button.textContent = "Copied";
        said.textContent = "Copied";
        clicked(box);
      } catch {
        getSelection().selectAllChildren(pre);
        button.textContent = "Press Ctrl+C";
      }
      setTimeout(() => { button.textContent = "Copy"; said.textContent = ""; }, 2000);
    });
  }, root);
  copyable(document);
  all("a[data-install]", (a) => a.addEventListener("click", () => clicked(a)));

  // The last chosen client is preselected on the next page that offers it.
  const key = "client";
  const chosen = () => { try { return localStorage.getItem(key); } catch { return null; } };
  all(".clients", (box) => {
    const strip = box.querySelector(".pick");
    const at = [...box.querySelectorAll("input")].find((radio) => radio.value === chosen());
    if (at) {
      at.checked = true;
      strip.scrollLeft = at.parentElement.offsetLeft - strip.offsetLeft - 20;
    }
    box.addEventListener("change", (e) => { try { localStorage.setItem(key, e.target.value); } catch { /* not allowed to */ } });
  });

  // Readers on Windows see what differs there.
  all(".system input", (box) => { box.checked = /^win/i.test(navigator.userAgentData?.platform ?? navigator.platform); });

  // Results while typing: requests the part "results" of the form's address,
  // and updates the address bar.
  all("form[data-live]", (form) => {
    const said = document.createElement("p"); // stays while results come and go, so that it is read out
    said.className = "unseen";
    said.setAttribute("role", "status");
    form.after(said);
    // The input stays, with the error message and the previous results.
    const trouble = (text) => { said.className = "notice bad"; said.textContent = text; };
    let timer, asked, last = new URLSearchParams(new FormData(form)).toString();
    const show = async (url, push) => {
      asked?.abort();
      asked = new AbortController();
      const part = new URL(url, location.href);
      part.searchParams.set("part", "results");
      const results = document.getElementById("results");
      results.setAttribute("aria-busy", "true");
      try {
        const answer = await fetch(part, { signal: asked.signal, headers: { Accept: "text/html" } });
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        if (!answer.ok) { trouble(page.querySelector("main .lead")?.textContent || "Something went wrong. Please try again."); return; }
        const fresh = page.getElementById("results");
        results.replaceWith(fresh);
        document.title = fresh.dataset.title || document.title;
        said.className = "unseen";
        said.textContent = fresh.querySelector("[role=status]")?.textContent ?? "";
        const orders = fresh.querySelector("template");
        if (orders) form.elements.sort?.replaceChildren(orders.content.cloneNode(true));
        if (push) history.replaceState(null, "", url);
      } catch (e) {
        if (e.name !== "AbortError") trouble("The server did not respond. Please try again.");
      } finally {
        document.getElementById("results")?.removeAttribute("aria-busy");
      }
    };
    const ask = () => {
      const fields = new URLSearchParams(new FormData(form));
      for (const [k, v] of [...fields]) if (!v) fields.delete(k);
      if (fields.toString() === last) return;
      last = fields.toString();
      show(form.action + (last ? "?" + last : ""), true);
    };
    form.addEventListener("input", (e) => {
      clearTimeout(timer);
      timer = setTimeout(ask, e.target.type === "search" ? 200 : 0);
    });
    form.addEventListener("submit", (e) => { e.preventDefault(); clearTimeout(timer); ask(); });
  });

  // Suggestions below the search fields of other pages while typing: links, in
  // keyboard order.
  all("form[data-suggest]", (form) => {
    const field = form.querySelector("input[type=search]"), list = document.createElement("ul"), said = document.createElement("span");
    list.className = "suggest";
    said.className = "unseen";
    said.setAttribute("role", "status");
    let timer, asked;
    const close = () => { clearTimeout(timer); asked?.abort(); list.replaceChildren(); said.textContent = ""; };
    const ask = async () => {
      asked?.abort();
      const q = field.value.trim();
      if (q.length < 2) { close(); return; }
      asked = new AbortController();
      const at = form.getAttribute("action") + "?" + new URLSearchParams({ q });
      try {
        const answer = await fetch(at + "&part=results", { signal: asked.signal, headers: { Accept: "text/html" } });
        if (!answer.ok) { close(); return; }
        const rows = [...new DOMParser().parseFromString(await answer.text(), "text/html").querySelectorAll(".rows > li")];
        if (!form.contains(document.activeElement)) return;
        list.replaceChildren(...rows.slice(0, 6).map((row) => {
          const link = row.querySelector("h2 a"), name = document.createElement("b"), path = row.querySelector(".path"), where = document.createElement("span"), text = document.createElement("span");
          const a = document.createElement("a"), item = document.createElement("li");
          a.href = link.getAttribute("href");
          name.textContent = link.textContent;
          where.className = "path";
          where.textContent = path?.textContent ?? "";
          text.append(name, where);
          a.append(row.querySelector(".grade"), text);
          item.append(a);
          return item;
        }));
        if (rows.length > 6) {
          const item = document.createElement("li"), a = document.createElement("a");
          a.className = "all";
          a.href = at;
          a.textContent = "All results";
          item.append(a);
          list.append(item);
        }
        said.textContent = rows.length ? Math.min(rows.length, 6) + " suggestions below" : "No servers match";
      } catch { /* what was typed since is asked for, or Enter is pressed */ }
    };
    form.append(list, said);
    field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, 200); });
    form.addEventListener("keydown", (e) => {
      const stops = [field, ...list.querySelectorAll("a")], at = stops.indexOf(document.activeElement);
      if (e.key === "Escape" && list.firstChild) { e.preventDefault(); field.focus(); close(); }
      if ((e.key === "ArrowDown" || e.key === "ArrowUp") && at >= 0 && stops.length > 1) { e.preventDefault(); stops[(at + (e.key === "ArrowDown" ? 1 : -1) + stops.length) % stops.length].focus(); }
    });
    form.addEventListener("focusout", (e) => { if (!form.contains(e.relatedTarget)) close(); });
    form.addEventListener("submit", close);
  });

  // Polls a pending report until it is done.
  const poll = async (page) => {
    const answer = await fetch(page.dataset.poll, { headers: { Accept: "text/html" } }).catch(() => null);
    if (!answer || answer.status === 202) {
      const text = await answer?.text().catch(() => "") ?? "";
      const sofar = new DOMParser().parseFromString(text, "text/html").getElementById("sofar"), shown = document.getElementById("sofar");
      if (sofar && shown && sofar.innerHTML !== shown.dataset.as) {
        sofar.dataset.as = sofar.innerHTML;
        sofar.querySelectorAll("details").forEach((d, n) => { d.open = shown.querySelectorAll("details")[n]?.open ?? false; });
        shown.replaceWith(sofar);
        copyable(sofar);
      }
      setTimeout(poll, 1000, page);
      return;
    }
    if (answer.redirected) { location.assign(answer.url); return; }
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    document.title = fresh.title;
    const main = fresh.querySelector("main"), old = document.querySelector("main");
    const within = old.contains(document.activeElement);
    old.replaceWith(main);
    copyable(main);
    if (within) main.focus({ preventScroll: true }); // or the keyboard would begin at the top again
  };
  all("[data-poll]", (page) => setTimeout(poll, 800, page));

  // Enter ticks a box of a list, and does not submit its form. Boxes come and go with results.
  document.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && e.target.matches(".tick input")) { e.preventDefault(); e.target.click(); }
  });

  // "/" focuses the search field.
  document.addEventListener("keydown", (e) => {
    if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, textarea, select, [contenteditable]")) return;
    const field = document.querySelector("input[type=search]");
    if (field) { e.preventDefault(); field.focus(); field.select(); }
  });
})();
