// Files are uploaded as they are dropped or chosen, some at a time, each with its progress, its cancel and its second try; marks of the list.
// Without this the form sends all files at once, and the boxes of the list are sent as they are.
(() => {
  const drop = document.getElementById("drop");
  const chosen = document.getElementById("files");
  const outcomes = document.getElementById("outcomes");
  const say = document.getElementById("upload-words")?.dataset;
  const AT_ONCE = 3; // more would only share the same line
  const REFRESH_MS = 1500;
  const ICONS = { ok: "check", warn: "warn", fail: "fail", busy: "now", wait: "wait" };

  function icon(name) {
    const drawn = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    drawn.setAttribute("class", "i");
    drawn.setAttribute("aria-hidden", "true");
    use.setAttribute("href", `#i-${name}`);
    drawn.append(use);
    return drawn;
  }

  function element(name, className, ...children) {
    const made = document.createElement(name);
    made.className = className;
    made.append(...children);
    return made;
  }

  // Without the signs that turn text round, which would make "fdp.exe" read "exe.pdf".
  const plain = name => name.replace(/[\u202a-\u202e\u2066-\u2069]/g, "");

  // ---- one upload: waiting → uploading → being checked → taken, refused, failed or cancelled

  class Upload {
    constructor(file) {
      this.file = file;
      this.state = element("span", "state");
      this.said = element("span", "said");
      this.cancelButton = element("button", "btn sm bare", icon("cross"), say.cancel);
      this.retryButton = element("button", "btn sm", icon("retry"), say.retry);
      for (const button of [this.cancelButton, this.retryButton]) button.type = "button";
      this.cancelButton.setAttribute("aria-label", `${say.cancel}: ${file.name}`);
      this.retryButton.setAttribute("aria-label", `${say.retry}: ${file.name}`);
      this.cancelButton.addEventListener("click", () => this.cancel());
      this.retryButton.addEventListener("click", () => { queue.push(this); this.wait(); pump(); });
      const name = element("bdi", "name", plain(file.name));
      this.entry = element("li", "", this.state, name, this.said, element("span", "row tight push", this.retryButton, this.cancelButton));
      outcomes.append(this.entry);
      this.wait();
    }

    show(stage, kind, words) {
      this.stage = stage;
      this.entry.dataset.stage = stage;
      this.state.className = `state s-${kind}`;
      this.state.replaceChildren(icon(ICONS[kind]), words);
      const isOpen = ["waiting", "sending", "checking"].includes(stage);
      this.cancelButton.hidden = !isOpen;
      this.retryButton.hidden = !["failed", "cancelled"].includes(stage);
      summarise();
    }

    wait() {
      this.isCancelled = false;
      this.said.replaceChildren();
      this.show("waiting", "wait", say.waiting);
    }

    async send() {
      const limitMb = Number(drop.dataset.limitMb);
      if (this.file.size > limitMb * 1e6) return this.end("refused", "fail", say.refused, say.tooLarge);
      const bar = element("progress", "");
      bar.max = 1;
      bar.value = 0;
      bar.setAttribute("aria-label", this.file.name);
      this.said.replaceChildren(bar);
      this.show("sending", "busy", say.uploading);
      const body = new FormData(drop);
      body.delete("files");
      body.append("files", this.file);
      const request = this.request = new XMLHttpRequest();
      request.upload.onprogress = event => {
        if (!event.lengthComputable) return;
        bar.value = event.loaded / event.total;
        this.state.lastChild.textContent = `${say.uploading} ${Math.floor(100 * bar.value)} %`;
      };
      request.upload.onload = () => { if (!this.isCancelled) this.show("checking", "busy", say.checking); };
      request.open("POST", drop.action);
      request.setRequestHeader("Accept", "application/json");
      await new Promise(done => {
        request.onload = request.onerror = request.onabort = done;
        request.send(body);
      });
      await this.judge(request);
    }

    async judge(request) {
      if (!request.status) {
        return this.isCancelled
          ? this.end("cancelled", "warn", say.cancelled, say.nothingKept)
          : this.end("failed", "fail", say.failed, say.broken);
      }
      let reply = {};
      try { reply = JSON.parse(request.responseText); } catch { /* a page: its status says enough */ }
      if (request.status === 429 && !reply.outcomes && !this.isCancelled) return this.waitFor(request.getResponseHeader("Retry-After"), reply.detail);
      if (!reply.outcomes) {
        const isSignedOut = request.responseURL.includes("/accounts/login");
        const said = isSignedOut ? say.signedOut : reply.detail ?? say.status.replace("{status}", request.status);
        return this.end("failed", "fail", say.failed, said);
      }
      const [outcome] = reply.outcomes;
      if (this.isCancelled && outcome.code === "accepted") return this.takeBack(outcome);
      const [stage, kind, words] = { accepted: ["taken", "ok", say.taken], duplicate: ["duplicate", "warn", say.duplicate] }[outcome.code] ?? ["refused", "fail", say.refused];
      this.end(stage, kind, words, outcome.words, outcome);
    }

    // Too many in one minute: it is sent again by itself when the server said.
    waitFor(seconds, said) {
      this.said.replaceChildren(said);
      this.show("waiting", "wait", say.waiting);
      this.later = setTimeout(() => { queue.push(this); pump(); }, 1000 * seconds);
    }

    end(stage, kind, words, said, outcome) {
      this.said.replaceChildren(`${said} `);
      if (outcome?.url) {
        const link = element("a", "", outcome.title);
        link.href = outcome.url;
        this.said.append(link);
      }
      this.show(stage, kind, words);
      if (kind === "fail") outcomes.prepend(this.entry); // what wants attention is not looked for below the rest
      this.url = outcome?.url;
      if (stage !== "taken") return;
      refreshSoon();
      otherTabs.postMessage(location.pathname);
    }

    // What was taken says what has become of it, in the words of its row, once it can be asked or that is not followed.
    follow() {
      const row = this.stage === "taken" && this.url && document.getElementById(`document-${this.url.split("/").at(-2)}`);
      const isTold = row && (row.querySelector(".to-ask") || !row.hasAttribute("hx-get"));
      const state = isTold && row.querySelector(".status .state");
      if (!state) return;
      const title = row.querySelector(".title a");
      const links = [title, row.querySelector(".to-ask")].filter(Boolean).map(link => link.cloneNode(true));
      this.state.className = state.className;
      this.state.replaceChildren(...state.cloneNode(true).childNodes);
      this.said.replaceChildren(...links.flatMap(link => [link, " "]));
    }

    // While bytes are on their way the request ends and nothing is kept. Once the server has them all it decides;
    // what it has taken is then moved to the trash.
    cancel() {
      this.isCancelled = true;
      if (this.stage === "waiting") {
        clearTimeout(this.later);
        if (queue.includes(this)) queue.splice(queue.indexOf(this), 1);
        this.end("cancelled", "warn", say.cancelled, say.nothingKept);
      } else if (this.stage === "sending") this.request.abort();
      else { this.cancelButton.hidden = true; this.state.lastChild.textContent = say.cancelling; }
    }

    async takeBack(outcome) {
      const body = new FormData(drop);
      body.delete("files");
      const response = await fetch(`${outcome.url}trash/`, { method: "POST", body, redirect: "manual", headers: { "X-Requested-With": "fetch" } }).catch(() => null);
      if (response?.type === "opaqueredirect" || response?.ok) this.end("cancelled", "warn", say.cancelled, say.takenBack);
      else this.end("taken", "ok", say.taken, outcome.words, outcome);
      refreshSoon();
    }
  }

  // ---- all uploads

  const queue = [];
  const uploads = [];
  let running = 0;

  async function pump() {
    while (running < AT_ONCE && queue.length) {
      running += 1;
      queue.shift().send().finally(() => { running -= 1; pump(); });
    }
    if (!running && !queue.length) {
      drop.removeAttribute("aria-busy");
      summarise();
    } else drop.setAttribute("aria-busy", "true");
  }

  function take(files) {
    if (!uploads.length) outcomes.replaceChildren();
    for (const file of files) {
      const upload = new Upload(file);
      uploads.push(upload);
      queue.push(upload);
    }
    chosen.value = "";
    summarise();
    pump();
  }

  function summarise() {
    const done = uploads.filter(upload => !["waiting", "sending", "checking"].includes(upload.stage)).length;
    const taken = uploads.filter(upload => upload.stage === "taken").length;
    document.getElementById("uploads").hidden = !uploads.length;
    const words = say.summary.replace("{done}", done).replace("{all}", uploads.length).replace("{taken}", taken);
    const place = document.getElementById("upload-summary");
    if (place.textContent !== words) place.textContent = words;
    document.getElementById("cancel-all").hidden = done === uploads.length;
    document.getElementById("clear-outcomes").hidden = done !== uploads.length;
  }

  // The names of the files that were not sent when the page was left, until it is opened again in this tab. The first
  // page of an owner is gone once one file has come: the page of a base names those that were left there.
  const unsentKey = address => `unsent ${address}`;

  function keepUnsent() {
    const names = uploads.filter(upload => ["waiting", "sending"].includes(upload.stage)).map(upload => upload.file.name);
    if (names.length) sessionStorage.setItem(unsentKey(drop.getAttribute("action")), JSON.stringify(names));
  }

  function nameUnsent() {
    const note = document.getElementById("unsent");
    const keys = [...new Set([drop.getAttribute("action"), note.dataset.first])].map(unsentKey);
    const names = keys.flatMap(key => JSON.parse(sessionStorage.getItem(key) ?? "[]"));
    for (const key of keys) sessionStorage.removeItem(key);
    note.hidden = !names.length;
    note.querySelector("ul").replaceChildren(...names.map(name => element("li", "", element("bdi", "", plain(name)))));
  }

  // A page without a list gives way to the one that has it, once nothing is left to read here.
  function goOn() {
    if (!running && !queue.length && uploads.every(upload => upload.stage === "taken")) location.assign(drop.dataset.then);
  }

  // The list shows what was taken soon after, and not once for each of a hundred files.
  let refresh = 0;
  function refreshSoon() {
    refresh ||= setTimeout(async () => {
      refresh = 0;
      if (drop.dataset.then) return goOn();
      await htmx.ajax("GET", location.href, { source: outcomes, target: "#list", select: "#list", swap: "outerHTML" });
      document.getElementById("document-count").textContent = document.getElementById("list").dataset.count;
      mark();
    }, uploads.some(upload => upload.stage === "waiting") ? REFRESH_MS : 0);
  }

  // What a form of this page did is said above the list; a tab with marked documents keeps its list.
  if (document.querySelector(".messages")) otherTabs.postMessage(location.pathname);
  whenChangedElsewhere(path => {
    if (path === location.pathname && !boxes().some(box => box.checked)) refreshSoon();
  });

  if (drop) {
    const accepts = event => event.dataTransfer?.types.includes("Files");
    const button = drop.querySelector("[type=submit]");
    button.hidden = !chosen.files.length; // what was chosen before this script ran waits for its button
    chosen.addEventListener("change", () => { button.hidden = true; take([...chosen.files]); });
    drop.addEventListener("submit", event => { event.preventDefault(); take([...chosen.files]); });
    addEventListener("dragover", event => { if (accepts(event)) { event.preventDefault(); drop.classList.add("over"); } });
    addEventListener("dragleave", event => { if (!event.relatedTarget) drop.classList.remove("over"); });
    addEventListener("drop", event => {
      if (!accepts(event)) return;
      event.preventDefault();
      drop.classList.remove("over");
      take([...event.dataTransfer.files]);
    });
    document.getElementById("cancel-all").addEventListener("click", () => { for (const upload of [...uploads]) if (!upload.cancelButton.hidden) upload.cancel(); });
    document.getElementById("clear-outcomes").addEventListener("click", () => { uploads.length = 0; outcomes.replaceChildren(); summarise(); });
    nameUnsent();
    addEventListener("pagehide", keepUnsent);
    addEventListener("beforeunload", event => { if (running || uploads.some(upload => upload.stage === "waiting")) event.preventDefault(); });
  }

  // ---- marks: the bar of actions shows once something is marked

  const boxes = () => [...document.querySelectorAll(".docs td.pick input")];

  function mark() {
    const bar = document.getElementById("bulk");
    const all = document.getElementById("pick-all");
    if (!bar) return;
    const count = boxes().filter(box => box.checked).length;
    const isAll = Boolean(document.getElementById("everything")?.checked);
    all.hidden = false;
    all.checked = count > 0 && count === boxes().length;
    all.indeterminate = count > 0 && !all.checked;
    bar.classList.add("has-script");
    bar.classList.toggle("on", count > 0 || isAll);
    const said = document.getElementById("picked");
    said.textContent = count === 1 ? said.dataset.one : said.dataset.many.replace("{count}", count);
  }

  document.addEventListener("change", event => {
    if (event.target.id === "pick-all") for (const box of boxes()) box.checked = event.target.checked;
    if (event.target.matches(".pick input, #everything")) mark();
  });
  // A newer version that can be asked stands in the place of the older one.
  function setAside() {
    for (const row of document.querySelectorAll("tr[data-supersedes]")) document.getElementById(`document-${row.dataset.supersedes}`)?.remove();
  }

  document.addEventListener("htmx:afterSettle", () => { setAside(); mark(); for (const upload of uploads) upload.follow(); });
  mark();
})();
