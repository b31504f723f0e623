// Walking the candidates of a trail by keyboard, and marking where one is. Every step is a plain link as well.
const rows = () => [...document.querySelectorAll(".cands tbody tr[data-candidate]")];

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
  next.querySelector(".what a").click();
  next.scrollIntoView({ block: "nearest" });
}

document.addEventListener("htmx:afterSettle", event => {
  if (event.target.id === "cand" || event.target.querySelector?.("#cand")) markOpen();
});

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  if (event.key === "j" || event.key === "J") walk(1);
  if (event.key === "k" || event.key === "K") walk(-1);
  if (event.key === "a" || event.key === "A") choose(event, "agree", "[type=submit]");
  if (event.key === "o" || event.key === "O") choose(event, "overrule", "[name=reason]");
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

document.querySelector(".cands tr.sel")?.scrollIntoView({ block: "nearest" });

// The tab of the section that is being read.
const tabs = new Map([...document.querySelectorAll(".tabs.sticky a")].map(tab => [tab.hash.slice(1), tab]));
const read = new IntersectionObserver(entries => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    for (const [id, tab] of tabs) {
      if (id === entry.target.id) tab.setAttribute("aria-current", "true");
      else tab.removeAttribute("aria-current");
    }
  }
}, { rootMargin: "-15% 0px -75% 0px" });
for (const id of tabs.keys()) {
  const section = document.getElementById(id);
  if (section) read.observe(section);
}
