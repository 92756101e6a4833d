// Try-it forms: the answer is shown below the form. Where a form needs this
// script, because its path has a parameter or it wants a key, it is shown only
// with it. The key stays in its field: it is sent in the header and nowhere else.
(() => {
  "use strict";
  const most = 100000;
  for (const form of document.querySelectorAll("form.try")) {
    form.hidden = false;
    const out = document.createElement("pre");
    out.tabIndex = 0;
    out.hidden = true;
    out.setAttribute("role", "status");
    form.after(out);
    form.addEventListener("submit", async (e) => {
      e.preventDefault();
      let path = form.dataset.path;
      const query = new URLSearchParams();
      const headers = { Accept: "application/json" };
      for (const field of form.elements) {
        if (field.dataset.in === "path") path = path.replace(`{${field.name}}`, encodeURIComponent(field.value));
        else if (field.dataset.in === "query" && field.value) query.append(field.name, field.value);
        else if (field.dataset.in === "key" && field.value) headers.Authorization = "Bearer " + field.value.trim();
      }
      const url = path + (query.size ? "?" + query : "");
      out.hidden = false;
      out.textContent = "GET " + url + " …";
      try {
        const answer = await fetch(url, { headers, credentials: "omit", cache: "no-store" });
        let body = await answer.text();
        try { body = JSON.stringify(JSON.parse(body), null, 2); } catch { /* no JSON: as it is */ }
        if (body.length > most) body = body.slice(0, most) + "\n… (cut here)";
        const said = ["X-RateLimit-Remaining", "Retry-After"].map((h) => [h, answer.headers.get(h)]).filter(([, v]) => v).map(([h, v]) => `${h}: ${v}\n`).join("");
        out.textContent = `GET ${url}\n${answer.status} ${answer.statusText}\n${said}\n${body}`;
      } catch {
        out.textContent = `GET ${url}\nThe registry did not answer.`;
      }
    });
  }
})();
