// The chat: live stages over server-sent events, the cited page, copying. Every page works without it.
(() => {
  const ORDER = ["parsed", "plan", "hits", "candidates", "arbiter", "written"];
  const RETRY_MS = 5000, ATTEMPTS_MAX = 60; // five minutes; then the page is one to load again

  // ---- stages

  function setStage(turn, key, state, detail) {
    const cell = turn.querySelector(`[data-stage="${key}"]`);
    if (!cell) return;
    cell.className = state === "done" ? "" : state;
    cell.toggleAttribute("aria-current", false);
    if (state === "now") cell.setAttribute("aria-current", "step");
    const use = cell.querySelector("use");
    use?.setAttribute("href", `#i-${{ done: "check", now: "now", todo: "wait" }[state]}`);
    const words = turn.querySelector("[data-live-note]").dataset;
    if (key === "written") cell.querySelector("b").lastChild.textContent = state === "now" ? words.writing : words.written;
    if (detail !== undefined) cell.querySelector("span").textContent = detail;
  }

  function onStage(turn, { name, detail, begins }) {
    const at = ORDER.indexOf(name);
    if (at < 0) return;
    ORDER.slice(0, at).forEach(key => setStage(turn, key, "done"));
    setStage(turn, name, begins ? "now" : "done", detail || (begins ? "…" : undefined));
    if (!begins && ORDER[at + 1]) setStage(turn, ORDER[at + 1], "now", "…");
  }

  // Of a full search: how many documents have been searched.
  function showProgress(turn, { done, of }) {
    const bar = turn.querySelector("[data-live-progress]");
    if (bar) [bar.hidden, bar.max, bar.value] = [false, of, done];
    return turn.querySelector("[data-live-note]").dataset.progress.replace("{done}", done).replace("{of}", of);
  }

  function follow(turn, attempts = 0) {
    const answer = turn.querySelector("[data-live-answer]");
    const note = turn.querySelector("[data-live-note]");
    const source = new EventSource(turn.dataset.events);
    const on = (type, act) => source.addEventListener(type, event => act(JSON.parse(event.data)));
    on("question", data => {
      const asked = turn.querySelector("[data-asked]");
      if (!asked || data.outcome === "alone") return;
      asked.hidden = false;
      const label = document.createElement("span");
      label.className = "meta";
      label.textContent = data.outcome === "rewritten" ? note.dataset.askedAs : data.note;
      asked.querySelector("[data-asked-text]").replaceChildren(label, data.outcome === "rewritten" ? ` ${data.text}` : "");
    });
    on("stage", data => {
      // A second attempt begins again: what the first one had written is void.
      if (data.name === "parsed" || (data.name === "written" && data.begins)) answer.textContent = "";
      onStage(turn, data);
      note.textContent = data.note || (data.of ? showProgress(turn, data) : note.dataset.kept);
    });
    on("candidates", data => setStage(turn, "arbiter", "done", note.dataset.keptCount.replace("{count}", data.kept)));
    on("token", data => {
      answer.hidden = false;
      const thread = turn.closest(".turns");
      const wasAtEnd = thread.scrollHeight - thread.scrollTop - thread.clientHeight < 80;
      let paragraph = answer.lastElementChild || answer.appendChild(document.createElement("p"));
      data.text.split(/\n{2,}/).forEach((text, index) => {
        if (index) paragraph = answer.appendChild(document.createElement("p"));
        paragraph.append(text);
      });
      if (wasAtEnd) thread.scrollTop = thread.scrollHeight;
    });
    const end = () => { source.close(); show(turn); };
    on("done", end);
    source.addEventListener("open", () => { if (note.textContent === note.dataset.lost) note.textContent = note.dataset.kept; });
    source.addEventListener("error", event => {
      if (event.data !== undefined) return end();
      // A broken connection the browser takes up again by itself; a server that refuses, as while its database is away, it does not.
      const isRefused = source.readyState === EventSource.CLOSED;
      note.textContent = isRefused && attempts >= ATTEMPTS_MAX ? note.dataset.reload : note.dataset.lost;
      if (isRefused && attempts < ATTEMPTS_MAX) setTimeout(() => follow(turn, attempts + 1), RETRY_MS);
    });
  }

  async function show(turn) {
    const response = await fetch(turn.dataset.url, { headers: { "HX-Request": "true", ...BY_ITSELF }, credentials: "same-origin" }).catch(() => null);
    if (!response) { setTimeout(() => show(turn), RETRY_MS); return; }
    if (response.status === 401) { leave(turn, (await response.json()).detail); return; }
    if (!response.ok || response.redirected) { location.reload(); return; }
    const holder = document.createElement("div");
    holder.innerHTML = await response.text();
    const fresh = holder.querySelector("article");
    const thread = turn.closest(".turns");
    const wasAtEnd = thread.scrollHeight - thread.scrollTop - thread.clientHeight < 80;
    turn.replaceWith(fresh);
    htmx.process(fresh);
    prepare(fresh);
    if (wasAtEnd && fresh.matches(".turn ~ .turn")) fresh.scrollIntoView({ block: "start" });
    otherTabs.postMessage(location.pathname);
    const listed = document.querySelector(".convs [aria-current] .meta");
    if (listed) listed.textContent = listed.dataset.frame.replace("{outcome}", fresh.dataset.outcome);
    // The first page of a fresh answer opens beside it; beside one that cites nothing no page of another stays.
    const first = fresh.querySelector(".cites a[hx-get]")?.getAttribute("hx-get");
    if (first && wide.matches) openPage(first);
    if (!first && document.getElementById("page").dataset.turn && !isChosen()) openPage(location.pathname, "#page");
  }

  // ---- other tabs: their questions and answers, and the list of conversations

  async function refresh(path) {
    if (!path.startsWith("/ask/")) return;
    const response = await fetch(location.href, { headers: BY_ITSELF, credentials: "same-origin" }).catch(() => null);
    if (!response?.ok || response.redirected) return;
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    const [list, its] = [document, fresh].map(each => each.querySelector(".convs .convlist"));
    if (list && its && !list.contains(document.activeElement)) {
      its.open = list.open;
      list.replaceWith(its);
    }
    for (const turn of fresh.querySelectorAll(".turns article.turn")) {
      const mine = document.getElementById(turn.id);
      if (mine && (mine.matches("[data-events]") || mine.dataset.outcome === turn.dataset.outcome)) continue;
      if (mine) mine.replaceWith(turn);
      else document.querySelector(".turns").append(turn);
      htmx.process(turn);
      prepare(turn);
      if (turn.matches("[data-events]")) follow(turn);
    }
    const [pane, itsPane] = [document, fresh].map(each => each.getElementById("page"));
    if (pane && itsPane && pane.dataset.turn !== itsPane.dataset.turn && !isChosen()) openPage(location.pathname, "#page");
  }
  whenChangedElsewhere(refresh);

  // ---- the cited page

  const wide = matchMedia("(min-width: 1100px)");

  // Whether the address names the page, because the reader opened it.
  const isChosen = () => new URLSearchParams(location.search).has("turn");

  function openPage(url, select) {
    htmx.ajax("GET", url, { target: document.getElementById("page"), swap: "outerHTML", select });
  }

  function mark(pane) {
    for (const marked of document.querySelectorAll(".turns .on, .turns [aria-current='true']")) {
      marked.classList.remove("on");
      marked.removeAttribute("aria-current");
    }
    const turn = document.getElementById(`turn-${pane.dataset.turn}`);
    for (const link of turn?.querySelectorAll(`[data-cite="${pane.dataset.cite}"]`) ?? []) {
      if (link.matches("li")) {
        link.classList.add("on");
        link.querySelector("a").setAttribute("aria-current", "true");
        link.closest("details")?.setAttribute("open", "");
      }
      else link.setAttribute("aria-current", "true");
    }
  }

  document.addEventListener("htmx:afterSettle", event => {
    const pane = document.getElementById("page");
    if (!pane || !(event.target === pane || event.detail?.target?.id === "page")) return;
    mark(pane);
    if (!wide.matches && event.detail?.requestConfig?.elt?.matches?.("a")) pane.scrollIntoView();
  });

  // ---- copying, asking

  function prepare(root) {
    for (const button of root.querySelectorAll("[data-copy-answer]")) {
      button.hidden = !navigator.clipboard;
      button.addEventListener("click", async () => {
        const words = button.querySelector("span");
        const before = words.dataset.before ??= words.textContent;
        try {
          await navigator.clipboard.writeText(document.getElementById(button.dataset.copyAnswer).textContent);
          words.textContent = words.dataset.copied;
        } catch { words.textContent = words.dataset.refused; }
        setTimeout(() => { words.textContent = before; }, 2000);
      });
    }
    for (const form of root.querySelectorAll("[data-stop]")) {
      form.addEventListener("submit", async event => {
        event.preventDefault();
        form.querySelector("button").disabled = true;
        const note = form.closest(".live").querySelector("[data-live-note]");
        note.textContent = note.dataset.stopping;
        const response = await fetch(form.action, { method: "POST", body: new FormData(form), redirect: "manual" });
        if (!response.ok && response.type !== "opaqueredirect") form.submit();
      });
    }
  }

  // A filter is taken off without a round trip.
  for (const chip of document.querySelectorAll(".chip")) {
    chip.addEventListener("click", event => {
      event.preventDefault();
      chip.form.elements[chip.value].value = "";
      chip.closest("li").remove();
      chip.form.elements.question.focus();
    });
  }

  // ---- keys: Enter asks, up in an empty box edits the last question, Esc leaves that or stops, / goes to the box

  const question = document.getElementById("question");
  const edits = document.getElementById("edits");

  // On a phone the box is one line high: what it says there is shorter.
  const long = question?.placeholder, phone = matchMedia("(max-width: 640px)");
  const fitPlaceholder = () => { question.placeholder = phone.matches ? question.dataset.short : long; };
  if (question?.dataset.short) {
    fitPlaceholder();
    phone.addEventListener("change", fitPlaceholder);
  }

  function edit(turn) {
    if (!edits) return;
    edits.value = turn ? turn.id.replace("turn-", "") : "";
    question.value = turn ? turn.dataset.question : "";
    const form = question.form;
    form.querySelector("[data-editing]")?.toggleAttribute("hidden", !turn);
    form.querySelector("[data-keys]")?.toggleAttribute("hidden", Boolean(turn));
  }

  question?.addEventListener("keydown", event => {
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      if (question.value.trim()) question.form.requestSubmit();
    } else if (event.key === "ArrowUp" && !question.value) {
      const turns = document.querySelectorAll(".turn[data-question]");
      if (!turns.length) return;
      event.preventDefault();
      edit(turns[turns.length - 1]);
    } else if (event.key === "Escape" && edits?.value) {
      event.stopPropagation();
      edit(null);
    }
  });

  const isTyping = target => target.closest("input, textarea, select, [contenteditable]");

  document.addEventListener("keydown", event => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/" && question && !isTyping(event.target)) {
      event.preventDefault();
      question.focus();
    } else if (event.key === "Escape" && !(isTyping(event.target) && event.target.value)) {
      document.querySelector("[data-stop]")?.requestSubmit();
    }
  });

  // What Ask opened on by itself is told until somebody chooses.
  document.querySelector("#ask [name=scope]")?.addEventListener("change", () => {
    document.getElementById("opened-on")?.remove();
  });

  prepare(document);
  for (const turn of document.querySelectorAll("[data-events]")) {
    follow(turn);
    otherTabs.postMessage(location.pathname);
  }
  // The last answer comes into view; where one's page stands beside the thread, that answer does.
  const named = location.hash && document.getElementById(location.hash.slice(1));
  const pane = document.getElementById("page");
  const shown = isChosen()
    ? wide.matches && (!named || named === pane) && document.getElementById(`turn-${pane?.dataset.turn}`)
    : !named && document.querySelector(".turn ~ .turn:last-of-type");
  if (shown && shown.matches(".turn ~ .turn")) shown.scrollIntoView({ block: "start" });
})();
