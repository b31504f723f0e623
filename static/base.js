// Uploads by drop, one request a file, each with its progress; without this the form sends them all at once.
const drop = document.getElementById("drop");
const outcomes = document.getElementById("outcomes");

const ICONS = { ok: "check", warn: "warn", fail: "fail", busy: "now" };

function say(state, kind, words) {
  const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  icon.setAttribute("class", "i");
  icon.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `#i-${ICONS[kind]}`);
  icon.append(use);
  state.className = `state s-${kind}`;
  state.replaceChildren(icon, words);
}

function line(words, kind, name) {
  const entry = document.createElement("li");
  const state = document.createElement("span");
  say(state, kind, words);
  const file = document.createElement("bdi");
  file.className = "name";
  file.textContent = name;
  const said = document.createElement("span");
  entry.append(state, file, said);
  outcomes.append(entry);
  return { state, said, entry };
}

function show(entry, outcome) {
  const kinds = { accepted: ["ok", "Taken"], duplicate: ["warn", "Already here"] };
  const [kind, words] = kinds[outcome.code] ?? ["fail", "Refused"];
  say(entry.state, kind, words);
  entry.said.textContent = outcome.words + " ";
  if (!outcome.url) return;
  const link = document.createElement("a");
  link.href = outcome.url;
  link.textContent = outcome.title;
  entry.said.append(link);
}

function send(file) {
  const entry = line("Uploading", "busy", file.name);
  const limitMb = Number(drop.dataset.limitMb);
  if (file.size > limitMb * 1e6) {
    show(entry, { code: "too_large", words: `The file is larger than ${limitMb} MB. Split it, or ask an administrator to raise the limit.` });
    return Promise.resolve();
  }
  const body = new FormData(drop);
  body.delete("files");
  body.append("files", file);
  const request = new XMLHttpRequest();
  const bar = document.createElement("progress");
  bar.max = 1;
  bar.value = 0;
  entry.said.append(bar);
  request.upload.onprogress = event => { if (event.lengthComputable) bar.value = event.loaded / event.total; };
  return new Promise(done => {
    request.onload = () => {
      try { show(entry, JSON.parse(request.responseText).outcomes[0]); }
      catch { show(entry, { code: "failed", words: `The server answered with ${request.status}. Load the page again and try once more.` }); }
      done();
    };
    request.onerror = () => { show(entry, { code: "failed", words: "The connection broke. Nothing of this file was kept; try again." }); done(); };
    request.open("POST", drop.action);
    request.setRequestHeader("Accept", "application/json");
    request.send(body);
  });
}

async function sendAll(files) {
  outcomes.replaceChildren();
  drop.setAttribute("aria-busy", "true");
  for (const file of files) await send(file);
  drop.removeAttribute("aria-busy");
  drop.reset();
  await htmx.ajax("GET", location.href, { target: "#list", select: "#list", swap: "outerHTML" });
  document.getElementById("document-count").textContent = document.getElementById("list").dataset.count;
}

if (drop) {
  drop.addEventListener("submit", event => { event.preventDefault(); sendAll([...drop.querySelector("#files").files]); });
  drop.addEventListener("dragover", event => { event.preventDefault(); drop.classList.add("over"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", event => {
    event.preventDefault();
    drop.classList.remove("over");
    const files = [...event.dataTransfer.files];
    if (files.length) sendAll(files);
  });
}
