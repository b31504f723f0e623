// Walking a list of runs by keyboard: J and K (or the arrows) move, Enter opens as on any link, S signs.
const links = () => [...document.querySelectorAll(".walk .what a")];

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (event.key.toLowerCase() === "s") document.getElementById("sign")?.focus();
  if (!step) return;
  const all = links();
  const next = all[all.indexOf(document.activeElement) + step] ?? (all.includes(document.activeElement) ? null : all[0]);
  if (!next) return;
  next.focus();
  next.scrollIntoView({ block: "nearest" });
  event.preventDefault();
});
