// Asks now and then whether there is what one waits for: after a move the next turn of this player, and
// says so; an animated picture (`data-goes`), and goes there. Without this file the button leads there as well.
"use strict";

(() => {
  const button = document.querySelector("[data-next]");
  if (!button) return;
  const said = document.getElementById("say");
  const title = document.title;
  let wait = 2000;

  async function ask() {
    try {
      const answer = await fetch(button.href, { headers: { Accept: "application/json" } });
      if (!answer.ok) return;
      const { link } = await answer.json();
      if (link && "goes" in button.dataset) {
        window.location.replace(link);
        return;
      }
      if (link) {
        button.href = link;
        said.firstElementChild.textContent = said.dataset.there;
        said.lastElementChild.textContent = "";
        document.title = `● ${title}`;
        return;
      }
    } catch {
      // no network for now: asked again later
    }
    // bots answer within seconds, people within hours
    wait = Math.min(wait * 1.5, 60_000);
    setTimeout(ask, document.hidden ? 60_000 : wait);
  }
  setTimeout(ask, wait);
})();
