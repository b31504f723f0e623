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

// A link that opens a part of this page has its own address, to which Back goes back. What a script presses, such as a
// key that walks through a list, takes the place of the one before.
const PARTS = ["page", "cand"];
let shownAt = location.pathname + location.search;
document.addEventListener("htmx:afterSettle", event => {
  const { elt, triggeringEvent } = event.detail.requestConfig ?? {};
  if (!elt?.matches?.("a[data-opens]")) return;
  const isNew = elt.href !== location.href && triggeringEvent?.isTrusted;
  history[isNew ? "pushState" : "replaceState"](null, "", elt.href);
  shownAt = location.pathname + location.search;
});
addEventListener("popstate", async () => {
  const id = PARTS.find(each => document.getElementById(each));
  const at = location.pathname + location.search;
  if (!id || shownAt === at) return;
  shownAt = at;
  const response = await fetch(at, { credentials: "same-origin" });
  if (response.redirected) return location.reload(); // signed out
  const text = await response.text();
  // Somebody may be further back by now.
  if (response.ok && shownAt === at) htmx.swap(`#${id}`, text, { swapStyle: "outerHTML" }, { select: `#${id}` });
});

// Other tabs of this browser hear the path of what has changed; a tab that somebody comes back to looks by itself, as it
// may have changed on another device.
const otherTabs = new BroadcastChannel("docintel");
const AWAY_MS = 20_000;
function whenChangedElsewhere(act) {
  let leftAt = Infinity;
  otherTabs.addEventListener("message", event => act(event.data));
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) leftAt = Date.now();
    else if (Date.now() - leftAt > AWAY_MS) act(location.pathname);
  });
}

// What a page asks by itself, as polls do, is no sign that somebody is there: the session may end all the same.
const BY_ITSELF = { "X-By-Itself": "yes" };
document.addEventListener("htmx:configRequest", event => {
  if (!event.detail.triggeringEvent) Object.assign(event.detail.headers, BY_ITSELF);
});

// A part that is a column of its page has the note inside.
function sayAbove(target, said) {
  const note = document.createElement("p");
  note.className = "note error part-note";
  note.setAttribute("role", "alert");
  note.textContent = said;
  const isColumn = PARTS.includes(target.id);
  const old = isColumn ? target.firstElementChild : target.previousElementSibling;
  if (old?.matches(".note.error")) old.remove();
  if (isColumn) target.prepend(note); else target.before(note);
  note.scrollIntoView({ block: "nearest" });
}

// Signed out: the page to sign in takes the place of this one, unless something typed here would be lost.
function leave(target, said) {
  const isTyped = [...document.querySelectorAll("textarea")].some(field => field.value !== field.defaultValue);
  if (isTyped) sayAbove(target, said); else location.reload();
}

// A part of a page that is refused, or that nobody answers for, says why, above where it would have been.
document.addEventListener("htmx:responseError", event => {
  const { target, xhr, requestConfig } = event.detail;
  let said = requestConfig.triggeringEvent && gettext("Something broke on our side. Try again.");
  try { said = JSON.parse(xhr.responseText).detail; } catch { /* a page: its status says enough */ }
  if (said) (xhr.status === 401 ? leave : sayAbove)(target, said);
});
document.addEventListener("htmx:sendError", event => {
  if (event.detail.requestConfig.triggeringEvent) sayAbove(event.detail.target, gettext("The server cannot be reached. Try again."));
});
document.addEventListener("htmx:beforeSwap", event => {
  const note = event.detail.target.previousElementSibling;
  if (event.detail.shouldSwap && note?.matches(".part-note")) note.remove();
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
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
    menu.open = false;
  }
});

// An explanation stands by its word.
let askedWord = null;
document.addEventListener("click", event => { askedWord = event.target.closest?.("[popovertarget]") ?? askedWord; }, true);
document.addEventListener("toggle", event => {
  const box = event.target;
  if (!box.matches?.(".termbox") || event.newState !== "open" || !askedWord) return;
  const word = askedWord.getBoundingClientRect();
  const room = document.documentElement.clientWidth - box.offsetWidth - 8;
  const below = word.bottom + 6;
  box.style.left = `${Math.max(8, Math.min(word.left, room))}px`;
  box.style.top = `${below + box.offsetHeight < innerHeight ? below : Math.max(8, word.top - box.offsetHeight - 6)}px`;
}, true);
