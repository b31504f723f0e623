// Words of scripts in the reader's language; static/texts/<language>.js, where one is loaded, has them.
function gettext(text) {
  return globalThis.texts?.[text] || text;
}
function ngettext(one, many, count) {
  const forms = globalThis.texts?.[one];
  if (!Array.isArray(forms)) return count === 1 ? one : many;
  return forms[new Intl.PluralRules(document.documentElement.lang).select(count) === "one" ? 0 : 1];
}
// "%(name)s is too large" with { name: "a.pdf" }.
function interpolate(text, values) {
  return text.replace(/%\((\w+)\)[sd]/g, (whole, name) => values[name] ?? whole);
}

// Conveniences of every page; each page works without them.
document.getElementById("theme")?.addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  localStorage.setItem("theme", root.dataset.theme = dark ? "light" : "dark");
});

// Bring the anchor of a page frame into view, without moving the page around it.
function showAnchors(root) {
  for (const frame of root.querySelectorAll(".frame")) {
    const boxes = [...frame.querySelectorAll(".hl-anchor")].map(box => box.getBoundingClientRect());
    if (!boxes.length) continue;
    const edge = frame.getBoundingClientRect();
    frame.scrollTop += boxes[0].top - edge.top - frame.clientHeight / 2;
    frame.scrollLeft += Math.min(...boxes.map(box => box.left)) - edge.left - 24;
  }
}
showAnchors(document);
document.addEventListener("htmx:afterSettle", event => showAnchors(event.target.parentElement ?? document));

// A part of a page that is refused says why, above where it would have been.
document.addEventListener("htmx:responseError", event => {
  let said;
  try { said = JSON.parse(event.detail.xhr.responseText).detail; } catch { return; }
  const note = document.createElement("p");
  note.className = "note error";
  note.setAttribute("role", "alert");
  note.textContent = said;
  const target = event.detail.target;
  if (target.previousElementSibling?.matches(".note.error")) target.previousElementSibling.remove();
  target.before(note);
});

// On a narrow screen a strip of tabs scrolls: begin where the reader is.
for (const here of document.querySelectorAll(".top nav [aria-current], .tabs [aria-current]")) {
  const strip = here.parentElement;
  strip.scrollLeft = here.offsetLeft - strip.offsetLeft - (strip.clientWidth - here.offsetWidth) / 2;
}

// What scrolls can be reached by the keyboard, and only then: a stop that does nothing would be one too many.
function letScroll() {
  for (const box of document.querySelectorAll(".scroll, .tree, .turns, main pre")) {
    const scrolls = box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1;
    if (scrolls && !box.hasAttribute("tabindex")) box.tabIndex = 0;
  }
}
letScroll();
addEventListener("resize", letScroll);
document.addEventListener("htmx:afterSettle", letScroll);

// A button that copies the text of the field it names.
document.addEventListener("click", async event => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const field = document.querySelector(button.dataset.copy);
  field.select();
  await navigator.clipboard.writeText(field.value);
  button.lastChild.textContent = gettext("Copied");
});

// The list of keys: by "?" anywhere but in a field, or by its entry in the menu.
const keyhelp = document.getElementById("keyhelp");
document.addEventListener("keydown", event => {
  if (event.key !== "?" || event.target.closest("input, select, textarea, dialog")) return;
  event.preventDefault();
  keyhelp?.showModal();
});
document.addEventListener("click", event => {
  if (event.target.closest("[data-keyhelp]")) keyhelp.showModal();
});

// A menu closes when the reader goes elsewhere.
document.addEventListener("click", event => {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", event => {
  if (event.key === "Escape") for (const menu of document.querySelectorAll("details.menu[open]")) menu.open = false;
});
