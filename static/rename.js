// A title is edited where it stands: the pencil opens its field, Enter saves, Escape and Cancel leave it as it was.
// Without this the pencil opens the same form.
(() => {
  function close(details) {
    details.querySelector("form").reset();
    details.open = false;
    details.querySelector("summary").focus();
  }

  // The event does not rise from the element, so it is met on its way down.
  document.addEventListener("toggle", event => {
    if (!event.target.matches?.(".rename[open]")) return;
    const field = event.target.querySelector("[name=title]");
    field.focus();
    field.select();
  }, true);

  document.addEventListener("keydown", event => {
    const details = event.target.closest?.(".rename[open]");
    if (event.key !== "Escape" || event.isComposing || !details) return;
    event.preventDefault();
    close(details);
  });

  document.addEventListener("click", event => {
    const cancel = event.target.closest("[data-cancel]");
    if (!cancel) return;
    event.preventDefault();
    close(cancel.closest(".rename"));
  });

  // The row of the list comes back with its new title; the keyboard goes on where it was.
  document.addEventListener("htmx:afterSwap", event => {
    const path = event.detail.pathInfo?.requestPath ?? "";
    if (!path.endsWith("/rename/")) return;
    const row = document.getElementById(event.detail.target.id);
    row?.querySelector(row.querySelector(".rename[open]") ? "[name=title]" : ".rename summary")?.focus();
  });
})();
