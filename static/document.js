// Conveniences of the document page: arrow keys turn pages, and a page that cannot be drawn says so.
document.addEventListener("keydown", event => {
  if (event.target.closest("input, select, textarea, .frame") || event.ctrlKey || event.metaKey || event.altKey) return;
  const id = { ArrowLeft: "previous", ArrowRight: "next" }[event.key];
  if (id) document.getElementById(id)?.click();
});

const image = document.querySelector(".sheet img");
function withoutImage() {
  image.closest(".sheet").classList.add("is-text");
  image.remove();
  document.querySelector(".noimage").hidden = false;
}
if (image?.complete && !image.naturalWidth) withoutImage();
else image?.addEventListener("error", withoutImage);

// Where the chosen line and section stand in their lists.
document.querySelector(".tree [aria-current]")?.scrollIntoView({ block: "nearest" });
