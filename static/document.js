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
  const image = document.querySelector(".sheet img");
  function withoutImage() {
    image.closest(".sheet").classList.add("is-text");
    image.remove();
    document.querySelector(".noimage").hidden = false;
  }
  if (image?.complete && !image.naturalWidth) withoutImage();
  else image?.addEventListener("error", withoutImage);

  // Where the chosen line, section, page or hit stands in its list, without moving the page around the list.
  const panel = document.getElementById("panel");
  const current = panel?.querySelector("ol [aria-current]");
  if (current) panel.scrollTop += current.getBoundingClientRect().top - panel.getBoundingClientRect().top - panel.clientHeight / 3;

  // A click on a line inspects it; a selection is left alone.
  document.querySelector(".sheet svg")?.addEventListener("click", event => {
    const line = event.target.closest("[data-line]");
    if (!line || !getSelection().isCollapsed) return;
    const address = new URL(location.href);
    for (const name of ["hit", "quote", "go", "from"]) address.searchParams.delete(name);
    address.searchParams.set("page", document.querySelector("[name=from]").value);
    address.searchParams.set("line", line.dataset.line);
    location.assign(address);
  });

  // The address of this page, or of the words somebody has selected on it.
  const link = document.getElementById("link");
  const said = document.getElementById("said");
  if (link && navigator.clipboard) {
    link.hidden = false;
    let words = "";
    document.addEventListener("selectionchange", () => {
      const selection = getSelection();
      const isOnPage = selection.anchorNode?.parentElement?.closest(".sheet");
      if (isOnPage || !selection.isCollapsed) words = isOnPage && !selection.isCollapsed ? selectedWords(selection) : "";
    });
    link.addEventListener("click", async () => {
      const address = new URL(location.pathname, location.href);
      address.searchParams.set("page", document.querySelector("[name=from]").value);
      if (document.querySelector("[name=parse]")) address.searchParams.set("parse", document.querySelector("[name=parse]").value);
      if (words) address.searchParams.set("quote", words);
      await navigator.clipboard.writeText(address.href);
      said.textContent = words ? link.dataset.quoted : link.dataset.copied;
    });
  }

  // Line numbers belong to no selection: only the words of the lines, one line after the other.
  function selectedWords(selection) {
    const range = selection.getRangeAt(0);
    const lines = [...document.querySelectorAll(".sheet .tl")].filter(line => range.intersectsNode(line));
    const parts = lines.map(line => {
      const start = range.startContainer.parentElement === line ? range.startOffset : 0;
      const end = range.endContainer.parentElement === line ? range.endOffset : line.textContent.length;
      return line.textContent.slice(start, end);
    });
    return parts.join(" ").replace(/\s+/g, " ").trim().slice(0, 1000);
  }
})();
