// Zoom of a page beside anything: fit is the width of its frame. Kept in the browser, so that turning pages keeps it.
(() => {
  const STEPS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4];
  const SHARP_FROM = 1.3; // device pixels for each pixel of the image
  let zoom = Number(localStorage.getItem("zoom")) || 1;

  function sharpen(image) {
    if (!image?.dataset.sharp || !image.naturalWidth) return;
    if (image.getBoundingClientRect().width * devicePixelRatio < image.naturalWidth * SHARP_FROM) return;
    const sharp = new Image();
    const address = image.dataset.sharp;
    delete image.dataset.sharp;
    sharp.onload = () => { image.src = address; };
    sharp.src = address;
  }

  function show(root = document) {
    for (const frame of root.querySelectorAll(".viewer .frame")) {
      const middle = (frame.scrollTop + frame.clientHeight / 2) / (frame.scrollHeight || 1);
      frame.style.setProperty("--zoom", zoom);
      frame.scrollTop = middle * frame.scrollHeight - frame.clientHeight / 2;
      const image = frame.querySelector(".sheet img");
      if (image?.complete) sharpen(image);
      else image?.addEventListener("load", () => sharpen(image), { once: true });
    }
    for (const bar of root.querySelectorAll(".zoom")) {
      bar.hidden = false;
      const words = bar.querySelector("[data-zoomed]");
      words.dataset.fit ??= words.textContent;
      words.textContent = zoom === 1 ? words.dataset.fit : `${Math.round(zoom * 100)} %`;
      bar.querySelector("[data-zoom='-1']").disabled = zoom === STEPS[0];
      bar.querySelector("[data-zoom='1']").disabled = zoom === STEPS[STEPS.length - 1];
    }
  }

  function change(by) {
    const at = STEPS.findIndex(step => step >= zoom - 0.001);
    zoom = by ? STEPS[Math.min(Math.max(at + by, 0), STEPS.length - 1)] : 1;
    localStorage.setItem("zoom", zoom);
    show();
  }

  document.addEventListener("click", event => {
    const button = event.target.closest("[data-zoom]");
    if (button) change(Number(button.dataset.zoom));
  });
  document.addEventListener("keydown", event => {
    if (event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = { "+": 1, "=": 1, "-": -1, "0": 0 }[event.key];
    if (by !== undefined && document.querySelector(".viewer .sheet")) change(by);
  });
  document.addEventListener("htmx:afterSettle", () => show());
  show();
})();
