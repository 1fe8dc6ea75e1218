// Steps through a match without a new page for each of its moves. The service makes each step
// (`/m/ID/step`); here is only which one is shown. Without this file the links do the same.
"use strict";

(() => {
  const box = document.querySelector("[data-replay]");
  if (!box) return;
  const shown = box.querySelector("[data-step]");
  const said = box.querySelector("[data-said]");
  // who is to move now, and until when: of the match as it stands, not of a step
  const heading = document.querySelector(".state h1");
  const until = document.querySelector(".state .until:has(time)");
  const bar = box.querySelector(".scrub");
  const slider = bar.querySelector("input");
  const player = bar.querySelector("[data-play]");
  const sign = player.querySelector("use");
  const start = player.getAttribute("aria-label");
  const copier = bar.querySelector("[data-copy]");
  const history = document.querySelector(".history");
  const match = box.dataset.replay;
  const last = Number(box.dataset.last);
  // how long a move is looked at, in milliseconds
  const PAUSE = 1300;
  // steps that were asked for, by their address
  const steps = new Map();
  let ply = Number(box.dataset.ply);
  let query = box.dataset.query;
  let timer = 0;
  let whole = null;

  const address = (number) => `?ply=${number}${query}`;
  const within = (number) => Math.min(Math.max(number, 0), last);

  function ask(number) {
    const url = `${match}/step${address(number)}`;
    if (!steps.has(url)) {
      const asked = fetch(url).then((answer) => (answer.ok ? answer.text() : null));
      steps.set(
        url,
        asked.catch(() => null),
      );
    }
    return steps.get(url);
  }

  // A window on the board in which one moves about stays, with its script; only the drawing is new.
  function put(html) {
    const made = document.createElement("template");
    made.innerHTML = html;
    const [was, is] = [shown, made.content].map((root) =>
      root.querySelector('[data-board] [role="region"]:has(> svg)'),
    );
    if (was && is) {
      const [old, drawing] = [was, is].map((one) => one.querySelector("svg"));
      const { scrollLeft, scrollTop } = was;
      drawing.style.width = old.style.width;
      old.replaceWith(drawing);
      while (was.nextElementSibling) was.nextElementSibling.remove();
      while (is.nextElementSibling) was.parentElement.append(is.nextElementSibling);
      is.parentElement.replaceWith(was.parentElement);
      shown.replaceChildren(made.content);
      was.scrollTo(scrollLeft, scrollTop);
    } else {
      // what was moved sideways, as one battle of several on a phone, stays where it was
      const moved = [...shown.querySelectorAll("[class]")].filter((one) => one.scrollLeft > 0);
      const places = moved.map((one) => [one.className, one.scrollLeft]);
      shown.replaceChildren(made.content);
      for (const [name, left] of places) {
        const same = shown.getElementsByClassName(name)[0];
        if (same) same.scrollTo({ left, behavior: "instant" });
      }
    }
  }

  async function show(number) {
    const wanted = within(number);
    ply = wanted;
    slider.value = String(wanted);
    const html = await ask(wanted);
    // somebody went on meanwhile
    if (wanted !== ply) return;
    if (html === null) {
      location.assign(match + address(wanted));
      return;
    }
    put(html);
    const step = shown.querySelector(".step");
    said.textContent = step.dataset.said;
    if (heading) heading.textContent = step.dataset.heading;
    if (until) until.hidden = true;
    slider.setAttribute("aria-valuetext", step.dataset.said);
    window.history.replaceState(null, "", match + address(wanted));
    tell();
  }

  // The history up to the ply that is shown, with its line marked. Older lines are fetched once.
  async function tell() {
    if (!history) return;
    whole ??= fetch(`${match}?log=all`)
      .then((answer) => answer.text())
      .then((text) => {
        const page = new DOMParser().parseFromString(text, "text/html");
        const lines = page.querySelector(".history ol.story");
        if (lines) history.querySelector("ol.story").replaceWith(lines);
        history.querySelector("[data-older]")?.parentElement.remove();
      })
      .catch(() => null);
    await whole;
    mark();
  }

  function mark() {
    const lines = [...history.querySelectorAll("ol.story > li")];
    const later = (line) => line.dataset.ply && Number(line.dataset.ply) > ply;
    // the newest line is the first
    const oldest = lines.findLastIndex(later);
    lines.forEach((line, place) => {
      line.hidden = place <= oldest;
      const current = line.classList.contains("move") && Number(line.dataset.ply) === ply;
      line.setAttribute("aria-current", current ? "step" : "false");
    });
    // a heading stays while a line below it does
    let days = false;
    let headings = false;
    for (const line of lines.toReversed()) {
      if (line.matches(".day")) {
        line.hidden = !days;
        days = false;
      } else if (line.matches(".heading")) {
        line.hidden = !headings;
        headings = false;
      } else if (!line.hidden) {
        days = true;
        headings = true;
      }
    }
    const current = history.querySelector('[aria-current="step"]');
    const scrolled = current?.closest("ol");
    if (scrolled) scrolled.scrollTop = current.offsetTop - scrolled.offsetTop - 80;
  }

  function stop() {
    clearTimeout(timer);
    timer = 0;
    sign.setAttribute("href", "#icon-play");
    player.setAttribute("aria-label", start);
  }
  async function onward() {
    if (ply >= last) {
      stop();
      return;
    }
    await show(ply + 1);
    if (timer) {
      ask(within(ply + 1));
      timer = setTimeout(onward, PAUSE);
    }
  }
  function play() {
    if (timer) {
      stop();
      return;
    }
    sign.setAttribute("href", "#icon-pause");
    player.setAttribute("aria-label", player.dataset.pause);
    timer = setTimeout(onward, ply >= last ? 0 : 200);
    if (ply >= last) show(0).then(() => (timer = setTimeout(onward, PAUSE)));
  }
  const go = (number) => {
    stop();
    show(number);
  };
  const ways = {
    first: () => go(0),
    back: () => go(ply - 1),
    on: () => go(ply + 1),
    now: () => go(last),
  };
  const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "now" };

  slider.addEventListener("input", () => go(Number(slider.value)));
  player.addEventListener("click", play);
  copier.addEventListener("click", async () => {
    await navigator.clipboard.writeText(new URL(match + address(ply), location.href).href);
    copier.textContent = copier.dataset.done;
  });
  copier.hidden = !navigator.clipboard;
  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = event.target.closest("[data-to], .to-ply, .eyes a, [data-watch]");
    if (!link) return;
    event.preventDefault();
    if (link.dataset.to) ways[link.dataset.to]();
    else if ("watch" in link.dataset) {
      box.scrollIntoView({ block: "start" });
      stop();
      show(0).then(play);
    } else {
      const given = new URL(link.href).searchParams;
      if (link.closest(".eyes")) query = given.has("eyes") ? `&eyes=${given.get("eyes")}` : "";
      go(Number(given.get("ply")));
    }
  });
  // Home, End and the space bar scroll a page: they are the replay's only while it has the focus.
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const inside = box.contains(target);
    const typing = target.closest("input, textarea, select, [tabindex]:not([data-replay])");
    if (keys[key] && !typing && (inside || key.startsWith("Arrow"))) {
      event.preventDefault();
      ways[keys[key]]();
    } else if (
      key === " " &&
      inside &&
      (target === slider || !typing) &&
      !target.closest("button, summary")
    ) {
      event.preventDefault();
      play();
    }
  });
  bar.hidden = false;
  if ("stepping" in box.dataset) tell();
})();
