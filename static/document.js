// Conveniences of the document page; it works without them. Arrow keys turn pages, / finds, n and N step through the hits.
(() => {
  const click = id => { const target = document.getElementById(id); target?.click(); return Boolean(target); };
  const find = document.getElementById("find");

  document.addEventListener("keydown", event => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === find) {
      // Enter on words that were found already goes on to the next place.
      if (event.key === "Enter" && find.value.trim() && find.value === find.defaultValue) {
        if (click(event.shiftKey ? "hit-previous" : "hit-next")) event.preventDefault();
      } else if (event.key === "Escape" && click("hit-end")) event.preventDefault();
      return;
    }
    if (event.target.closest("input, select, textarea")) return;
    if (event.key === "/") { event.preventDefault(); find.focus(); find.select(); return; }
    if (event.target.closest(".frame") && event.key.startsWith("Arrow")) return;
    const id = { ArrowLeft: "previous", ArrowRight: "next", n: "hit-next", N: "hit-previous" }[event.key];
    if (id) click(id);
  });

  // A page that cannot be drawn says so; its text stands where it would be.
  function withoutImage(image) {
    image.closest(".sheet").classList.add("is-text");
    image.remove();
    document.querySelector(".noimage").hidden = false;
  }
  const image = document.querySelector(".sheet img");
  if (image?.complete && !image.naturalWidth) withoutImage(image);
  document.addEventListener("error", event => { if (event.target.matches?.(".sheet img")) withoutImage(event.target); }, true);

  // Where the chosen line, section, page or hit stands in its list, without moving the page around the list.
  const panel = document.getElementById("panel");
  function showCurrent() {
    const current = panel?.querySelector("ol [aria-current]");
    if (current) panel.scrollTop += current.getBoundingClientRect().top - panel.getBoundingClientRect().top - panel.clientHeight / 3;
  }
  showCurrent();

  // What is drawn over the page, as this reader likes it.
  for (const box of document.querySelectorAll(".show input")) {
    const kept = localStorage.getItem(box.id);
    if (kept !== null) box.checked = kept === "on";
    box.addEventListener("change", () => localStorage.setItem(box.id, box.checked ? "on" : "off"));
  }

  const frame = document.getElementById("frame");

  // The address of a page, without the place somebody came for.
  function addressOf(number) {
    const address = new URL(location.href);
    for (const name of ["hit", "quote", "line", "to", "go", "from"]) address.searchParams.delete(name);
    address.searchParams.set("page", number);
    return address;
  }

  // A click on a line inspects it; a selection is left alone.
  frame?.addEventListener("click", event => {
    const line = event.target.closest("[data-line]");
    if (!line || !getSelection().isCollapsed) return;
    const address = addressOf(line.closest(".sheet").dataset.page);
    address.searchParams.set("line", line.dataset.line);
    location.assign(address);
  });

  // On a screen where the page is below the fold, the words somebody came for are brought onto it.
  // A last page moves down when those before it come, until somebody has moved it.
  const untouched = new AbortController();
  function bringQuote() {
    const quote = frame.querySelector(".hl-anchor")?.getBoundingClientRect();
    if (quote && (quote.bottom > innerHeight || quote.top < 0)) frame.scrollIntoView({ block: "end" });
  }
  if (frame?.querySelector(".hl-anchor")) {
    bringQuote();
    frame.addEventListener("pageadded", bringQuote, { signal: untouched.signal });
    for (const act of ["wheel", "touchmove", "pointerdown", "keydown"]) {
      addEventListener(act, () => untouched.abort(), { passive: true, signal: untouched.signal });
    }
  }

  // Pages follow on while one scrolls: number, address and what stands beside them go along.
  const REST_MS = 400; // a page that is only passed is not asked about
  let rest = 0;
  frame?.addEventListener("pageturned", event => {
    const { page, label } = event.detail.dataset;
    const field = document.querySelector("[name=go]");
    const isByPrint = document.querySelector("[name=by]")?.value === "printed";
    if (document.activeElement !== field) field.value = isByPrint && label || page;
    for (const hidden of document.querySelectorAll("[type=hidden]:is([name=page], [name=from])")) hidden.value = page;
    const printed = document.querySelector("[data-printed]");
    if (printed) {
      printed.hidden = !label || label === page;
      printed.querySelector("span").textContent = label;
    }
    history.replaceState(null, "", addressOf(page));
    clearTimeout(rest);
    rest = setTimeout(() => showBeside(page), REST_MS);
  });

  async function showBeside(page) {
    const response = await fetch(location.href, { credentials: "same-origin" }).catch(() => null);
    if (!response?.ok || response.redirected || page !== document.querySelector("[name=from]").value) return;
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    document.title = fresh.title;
    for (const part of ["#of-page", "#panel > details", "#hit-end"]) {
      const [old, its] = [document.querySelector(part), fresh.querySelector(part)];
      if (!old || !its || old.contains(document.activeElement)) continue;
      if (old.open) its.open = true;
      old.replaceWith(its);
      htmx.process(its);
    }
    showCurrent();
  }

  // The address of this page, or of the words somebody has selected on it.
  const link = document.getElementById("link");
  const said = document.getElementById("said");
  if (link && navigator.clipboard) {
    link.hidden = false;
    let words = "", page = "";
    document.addEventListener("selectionchange", () => {
      const selection = getSelection();
      if (!selection.anchorNode?.parentElement?.closest(".sheet") && selection.isCollapsed) return;
      const selected = selectedWords();
      [words, page] = [selected.words, selected.sheets[0]?.dataset.page];
    });
    link.addEventListener("click", async () => {
      const address = new URL(location.pathname, location.href);
      address.searchParams.set("page", words ? page : document.querySelector("[name=from]").value);
      if (document.querySelector("[name=parse]")) address.searchParams.set("parse", document.querySelector("[name=parse]").value);
      if (words) address.searchParams.set("quote", words);
      await navigator.clipboard.writeText(address.href);
      said.textContent = words ? link.dataset.quoted : link.dataset.copied;
    });
  }
})();
