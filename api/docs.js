// Try-it forms: the response is shown below the form. Forms that require this
// script, for a path parameter or a key, are hidden without it. The key is sent
// only in the header.
(() => {
  "use strict";
  const most = 100000;
  for (const form of document.querySelectorAll("form.try")) {
    form.hidden = false;
    const said = document.createElement("p"); // only this is read aloud: responses may be long
    said.setAttribute("role", "status");
    const out = document.createElement("pre");
    out.className = "answer";
    out.tabIndex = 0;
    out.hidden = true;
    out.setAttribute("role", "region");
    // a field named "after" hides the method of the form
    Element.prototype.after.call(form, said, out);
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
      said.textContent = "GET " + url + " …";
      out.hidden = true;
      try {
        const answer = await fetch(url, { headers, credentials: "omit", cache: "no-store" });
        let body = await answer.text();
        try { body = JSON.stringify(JSON.parse(body), null, 2); } catch { /* not JSON: shown unchanged */ }
        if (body.length > most) body = body.slice(0, most) + "\n… (shortened)";
        const more = ["X-RateLimit-Remaining", "Retry-After"].map((h) => [h, answer.headers.get(h)]).filter(([, v]) => v).map(([h, v]) => `, ${h}: ${v}`).join("");
        said.textContent = `GET ${url}: ${answer.status} ${answer.statusText}${more}`;
        out.setAttribute("aria-label", `Response of ${url}`);
        out.textContent = body;
        out.hidden = !body;
      } catch {
        said.textContent = `GET ${url}: the registry did not respond.`;
      }
    });
  }
})();
