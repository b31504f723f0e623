// The trail as one screen: its steps as tabs, the candidates by keyboard. Without this every step is a section of one
// page and every move a plain link.
const rows = () => [...document.querySelectorAll(".cands tbody tr[data-candidate]")];

// ---- steps as tabs. A hidden one is still found by the browser's own search, and all of them are printed.
const steps = document.getElementById("steps");
const tabs = steps ? [...steps.querySelectorAll("a")] : [];
const panel = tab => document.getElementById(tab.hash.slice(1));

function show(tab) {
  for (const each of tabs) {
    const isShown = each === tab;
    each.setAttribute("aria-selected", String(isShown));
    each.tabIndex = isShown ? 0 : -1;
    if (isShown) panel(each).removeAttribute("hidden");
    else panel(each).setAttribute("hidden", "until-found");
  }
}

// The tab whose step holds an element, such as the target of a link.
function showHolder(element) {
  const tab = tabs.find(each => panel(each).contains(element));
  if (tab) show(tab);
}

function showAddressed() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  // A form that came back with what is wrong has the focus, wherever it is.
  const faulty = target ? null : document.querySelector("form.review [autofocus]");
  if (faulty) {
    showHolder(faulty);
    faulty.focus();
    return faulty.form.scrollIntoView({ block: "nearest" });
  }
  if (!target || target.id === "cand") return show(tabs[0]);
  showHolder(target);
  if (target.matches("details")) target.open = true;
}

if (tabs.length) {
  steps.setAttribute("role", "tablist");
  for (const tab of tabs) {
    tab.id = `tab-${tab.hash.slice(1)}`;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", tab.hash.slice(1));
    tab.removeAttribute("aria-current");
    const section = panel(tab);
    section.setAttribute("role", "tabpanel");
    section.setAttribute("aria-labelledby", tab.id);
    section.addEventListener("beforematch", () => show(tab));
    tab.addEventListener("click", event => {
      event.preventDefault();
      history[event.isTrusted && tab.hash !== location.hash ? "pushState" : "replaceState"](null, "", tab.hash);
      show(tab);
      if (scrollY > steps.offsetTop) scrollTo({ top: steps.offsetTop - steps.previousElementSibling.offsetTop });
    });
  }
  show(tabs[0]);
  showAddressed();
  addEventListener("hashchange", showAddressed);
  steps.addEventListener("keydown", event => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
    next.focus();
    next.click();
  });
}

// ---- candidates by keyboard

// On a phone the candidates are folded by role; the first role, and that of the open candidate, stay open.
function foldRoles() {
  const narrow = matchMedia("(max-width: 820px)").matches;
  document.querySelectorAll("[data-fold]").forEach((button, index) => {
    const rows = button.closest("tbody").nextElementSibling;
    const set = isOpen => { rows.hidden = !isOpen; button.setAttribute("aria-expanded", isOpen); };
    set(!narrow || !index);
    button.addEventListener("click", () => set(rows.hidden));
  });
}
foldRoles();

// A row opens its candidate wherever it is clicked, but for a link of its own and words that were just selected.
document.querySelector(".cands")?.addEventListener("click", event => {
  const row = event.target.closest("tr[data-candidate]");
  if (row && !event.target.closest("a, button") && getSelection().isCollapsed) row.querySelector(".what a").click();
});

// The row whose candidate is open carries the mark.
function markOpen() {
  const open = document.getElementById("cand")?.dataset.open;
  for (const row of rows()) {
    const isOpen = row.dataset.candidate === open;
    row.classList.toggle("sel", isOpen);
    if (isOpen) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
}

function walk(step) {
  const all = rows();
  const next = all[all.findIndex(row => row.classList.contains("sel")) + step];
  if (!next) return;
  showHolder(next);
  // Marked at once, so that a second key goes on from here even while the page is still on its way.
  for (const row of all) row.classList.toggle("sel", row === next);
  next.querySelector(".what a").click();
  next.scrollIntoView({ block: "nearest" });
}

document.addEventListener("htmx:afterSettle", event => {
  if (event.target.id === "cand" || event.target.querySelector?.("#cand")) markOpen();
});

const ROLES = ["primary", "supporting", "tangential", "discarded"];
const isOnCandidates = () => !document.getElementById("candidates")?.hasAttribute("hidden");
const KEYS = {
  j: () => walk(1),
  k: () => walk(-1),
  ArrowDown: event => { if (isOnCandidates()) { walk(1); event.preventDefault(); } },
  ArrowUp: event => { if (isOnCandidates()) { walk(-1); event.preventDefault(); } },
  a: event => choose(event, "agree", "[type=submit]"),
  o: event => choose(event, "overrule", "[name=reason]"),
  v: event => verdict(event),
  h: () => document.getElementById("heat")?.click(),
  n: () => document.getElementById("queue-next")?.click(),
  p: () => document.getElementById("queue-previous")?.click(),
};
for (const [index, role] of ROLES.entries()) KEYS[index + 1] = event => overruleAs(event, role);

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const field = event.target.closest("input, select, textarea");
  if (field && event.key === "Escape") field.blur();
  // A page or a text that scrolls keeps its arrows.
  if (field || (event.key.startsWith("Arrow") && event.target.closest(".frame, pre, [role=tablist]"))) return;
  if (document.querySelector("dialog[open]")) return;
  KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key]?.(event);
});

// An outcome by one key; Enter then saves, or the reason is typed first.
function choose(event, outcome, goTo) {
  const form = document.querySelector("#cand form.review");
  const choice = form?.querySelector(`[name=outcome][value=${outcome}]`);
  if (!choice) return;
  choice.checked = true;
  form.querySelector(goTo).focus();
  // The letter itself is typed into the field that was just focused otherwise.
  event.preventDefault();
}

// The role it has already is not offered: then the key says that one agrees.
function overruleAs(event, role) {
  const roles = document.querySelector("#cand form.review [name=corrected_role]");
  if (!roles) return;
  if (![...roles.options].some(option => option.value === role)) return choose(event, "agree", "[type=submit]");
  roles.value = role;
  choose(event, "overrule", "[name=reason]");
}

function verdict(event) {
  const first = document.querySelector("#checks form.review [name=outcome]");
  if (!first) return;
  showHolder(first);
  first.focus();
  first.form.scrollIntoView({ block: "nearest" });
  event.preventDefault();
}

// Only where the address names one: the page of a run begins at its beginning.
if (new URLSearchParams(location.search).has("candidate")) {
  document.querySelector(".cands tr.sel")?.scrollIntoView({ block: "nearest" });
}

// The form of a comment opens at the end of what scrolls above the review. One that comes open was opened by nobody.
document.addEventListener("toggle", event => {
  const isOpened = event.target.matches?.(".comments details[open]") && event.target.contains(document.activeElement);
  if (isOpened) event.target.scrollIntoView({ block: "nearest" });
}, true);
