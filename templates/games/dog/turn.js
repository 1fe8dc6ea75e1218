// Choosing a move of Dog step by step: card, pawn, target, here or on the board. No rule is known
// here: the orders that the game listed are narrowed down by what they are made of, and the one that
// is left fills the field `order`. The steps are radio buttons of no form, so nothing but `order` is
// ever sent.
"use strict";

(() => {
  const { turn } = window;
  const root = document.getElementById("dog");
  const listed = turn.values("choices");
  if (!root || !listed.parts) return;
  const { field, fill, words } = turn;
  const svg = document.querySelector("svg.board");
  const gifts = listed.gifts;
  const orders = turn.values("made-of").map(([text, card, as, numbers]) => ({
    text,
    card,
    as,
    parts: numbers.map((number) => listed.parts[number]),
  }));

  const box = root.querySelector(".stepwise");
  const line = box.querySelector(".say");
  // who would go Home: it comes late, so its room is kept free and nothing moves when it is there
  const told = box.querySelector(".told");
  const options = box.querySelector(".options");
  const output = box.querySelector("output");
  const nothing = () => ({ card: null, as: null, source: null, parts: [] });
  // what has been chosen: a card, what a joker stands for, the place of a pawn, and parts
  let chosen = nothing();
  // fields whose pawns the parts chosen so far send Home
  let burnt = [];

  const unique = (list) => [...new Set(list)];
  const face = (card) => (card === "*" ? "★" : card);
  const same = (one, other) => one?.number === other?.number;
  // each place once, in the order of the board: Home, the ring, the End Zones
  const sorted = (places) =>
    [...new Map(places.map((place) => [place.number, place])).values()].toSorted(
      (one, other) => one.number - other.number,
    );

  // the orders that still fit: those that have all chosen parts, in whatever order
  function fitting() {
    return orders.filter((order) => {
      if (order.card !== chosen.card) return false;
      if (order.as !== null && chosen.as !== null && order.as !== chosen.as) return false;
      const left = [...order.parts];
      return chosen.parts.every((part) => {
        const at = left.indexOf(part);
        if (at >= 0) left.splice(at, 1);
        return at >= 0;
      });
    });
  }
  const rest = (order) => {
    const left = [...order.parts];
    for (const part of chosen.parts) left.splice(left.indexOf(part), 1);
    return left;
  };

  // of those, what can be made now: not yet where an earlier part has to bring the pawn
  const now = (order) =>
    rest(order).filter(
      (part, at, left) =>
        gifts || !left.slice(0, at).some((before) => same(before.target, part.source)),
    );

  // --- drawing the choices ---

  function group(name, list, onChoose, value) {
    const holder = document.createElement("div");
    holder.className = "group";
    holder.setAttribute("role", "radiogroup");
    holder.setAttribute("aria-label", name);
    for (const item of list) {
      const label = document.createElement("label");
      if (item.card) label.classList.add("as-card");
      if (item.cannot) label.classList.add("cannot");
      const input = document.createElement("input");
      input.type = "radio";
      input.name = `step-${options.childElementCount}`;
      input.setAttribute("form", "nowhere");
      input.value = item.value;
      input.checked = item.value === value;
      input.addEventListener("change", () => onChoose(item));
      label.append(input, item.text);
      holder.append(label);
    }
    options.append(holder);
    return holder;
  }

  function hand() {
    return listed.cards.map(({ card, effect, why_not: why }) => ({
      value: card,
      text: face(card),
      card: true,
      cannot: why && `${words.not_now} ${why}`,
      effect,
    }));
  }

  function draw(from) {
    // groups before the one that was changed stay, and keep the keyboard's focus
    while (options.childElementCount > from) options.lastElementChild.remove();
    let step = from;
    if (step === 0) {
      group(
        words.card,
        hand(),
        (item) => {
          undo();
          chosen = { ...nothing(), card: item.value, why: item.cannot, effect: item.effect };
          draw(1);
        },
        chosen.card,
      );
      step = 1;
    }
    clear();
    if (!chosen.card) return tell(words.card);
    if (chosen.why) return tell(chosen.why);
    const fits = fitting();
    const ranks = unique(fits.map((order) => order.as)).filter((rank) => rank !== null);
    if (ranks.length && step === 1) {
      group(
        words.as,
        ranks.map((rank) => ({ value: rank, text: rank, card: true })),
        (item) => {
          undo();
          chosen = { ...chosen, as: item.value, source: null, parts: [] };
          draw(2);
        },
        chosen.as,
      );
      if (chosen.as === null) return tell(`${chosen.effect ?? ""} ${words.as}`.trim());
      step = 2;
    }
    goOn();
  }

  // --- the parts of an order: a pawn, and where it goes ---

  function goOn() {
    const fits = fitting();
    const whole = fits.filter((order) => order.parts.length === chosen.parts.length);
    const more = fits.filter((order) => order.parts.length > chosen.parts.length);
    finish(whole);
    if (!more.length) return;
    if (chosen.parts.length && !whole.length) look(begun(more));
    const base = options.childElementCount;
    const next = unique(more.flatMap(now));
    if (gifts) return further(base, next, whole);
    const before = chosen.parts;
    const choose = (place) => {
      trim(base + 1);
      // a part that was chosen for another pawn of this group is taken back
      if (chosen.parts.length > before.length) {
        undo();
        chosen.parts = before;
        finish(whole);
        if (before.length && !whole.length) look(begun(more));
      }
      chosen.source = place;
      const own = next.filter((part) => same(part.source, place));
      if (own.length === 1 && !own[0].target) return take(base, before, own[0]);
      targets(base, before, own);
    };
    const places = sorted(next.map((part) => part.source));
    const leaves = (place) => next.some((part) => same(part.source, place) && part.target);
    group(
      words.pawn,
      places.map((place) => ({
        value: place.order,
        text: leaves(place) ? fill(words.on, { place: place.name }) : words.out,
        place,
      })),
      (item) => choose(item.place),
    );
    markPawns(places, (place) => {
      check(base, places.indexOf(place));
      choose(place);
    });
    tell(pawnPrompt());
  }

  // the cards of a gift after the first
  function further(base, cards, whole) {
    group(
      words.card,
      cards.map((part) => ({ value: part.order, text: face(part.order), card: true, part })),
      (item) => {
        trim(base + 1);
        undo();
        chosen.parts = [item.part];
        finish(fitting());
      },
    );
    tell(whole.length ? words.ready : words.card);
  }

  function pawnPrompt() {
    if (!chosen.parts.length) return `${chosen.effect ?? ""} ${words.pawn}`.trim();
    return fill(words.part, {
      left: listed.steps - chosen.parts.reduce((sum, part) => sum + part.steps, 0),
    });
  }

  function targets(base, before, parts) {
    clear();
    group(
      words.target,
      parts.map((part) => ({
        value: part.order,
        text: fill(part.swap ? words.swap : words.to, { place: part.target.name }),
        part,
      })),
      (item) => take(base, before, item.part),
    );
    markChosen(chosen.source);
    markTargets(parts, (part) => {
      check(base + 1, parts.indexOf(part));
      take(base, before, part);
    });
    tell(words.target);
  }

  function take(base, before, part) {
    trim(base + 2);
    undo();
    chosen.parts = [...before, part];
    clear();
    goOn();
  }

  // nothing is ready any more, and an answer that is still under way is about something else
  function undo() {
    turn.forget();
    field.value = "";
    output.textContent = "";
    told.textContent = "";
    burnt = [];
  }

  function finish(whole) {
    const exact = whole.filter((order) =>
      order.parts.every((part, at) => part === chosen.parts[at]),
    );
    const fits = exact.length ? exact : whole;
    if (!fits.length || !(chosen.parts.length || gifts)) {
      field.value = "";
      const begin = listed.ranks[chosen.as] ?? chosen.card;
      output.textContent = [begin, ...chosen.parts.map((part) => part.order), "…"].join(" ");
      return;
    }
    field.value = fits[0].text;
    output.textContent = fits[0].text;
    tell(words.ready);
    look(exact.length ? { order: fits[0].text } : picked(chosen.parts), fits[0].text);
  }

  // what was picked, part by part in this order: the service makes the order of it
  function picked(parts) {
    const fields = [
      ["pick-card", chosen.card],
      ["pick-rank", chosen.as ?? ""],
    ];
    return [...fields, ...parts.map((part) => ["pick-parts", part.order])];
  }
  // a whole order that begins with the parts chosen so far, to ask what they do
  function begun(more) {
    const straight = more.find((order) =>
      chosen.parts.every((part, at) => order.parts[at] === part),
    );
    return picked([...chosen.parts, ...rest(straight ?? more[0])]);
  }

  // --- what the order would do: asked of the service, which knows ---

  // `fields` hold an order, or parts as they were chosen: the one that the service understands under
  // these is taken, and where it does not, the `order` of the list with the same parts
  async function look(fields, order) {
    const made = chosen.parts.length;
    const isWhole = field.value !== "";
    const known = await turn.preview(fields);
    if (!known) return;
    if (known.problem) {
      if (order && fields.order !== order) look({ order });
      return;
    }
    if (isWhole) field.value = output.textContent = known.order;
    // of an order that is not whole yet, only the parts that were chosen are told
    let moves = 0;
    const home = [];
    known.events.forEach((event, at) => {
      if (event.kind === "moved") moves += 1;
      if (event.kind === "sent_home" && (isWhole || moves <= made)) home.push(at);
    });
    burnt = home.map((at) => known.events[at].field);
    burnt.forEach(burn);
    told.textContent = home.map((at) => known.sentences[at]).join(" ");
  }

  // --- on the board ---

  const SVG = "http://www.w3.org/2000/svg";
  // what a click on a field or a pawn chooses now
  const actions = new Map();
  svg?.addEventListener("click", ({ target }) => actions.get(target.closest(".can"))?.());
  function clear() {
    if (!svg) return;
    for (const mark of svg.querySelectorAll(".halo, .burnt")) mark.remove();
    for (const piece of svg.querySelectorAll(".can, .planned")) {
      piece.classList.remove("can", "planned");
    }
    actions.clear();
    for (const { target } of chosen.parts)
      if (target) for (const one of drawn("field", target)) one.classList.add("planned");
    burnt.forEach(burn);
  }
  // the fields or pawns of the drawing at a place
  function drawn(kind, { mark, owner }) {
    const whose = owner === null ? "" : `[data-owner="${owner}"]`;
    return [...svg.querySelectorAll(`.${kind}[data-place="${mark}"]${whose}`)];
  }
  function halo(pawn, chosenOne) {
    const ring = document.createElementNS(SVG, "circle");
    ring.setAttribute("r", "32");
    ring.setAttribute("class", chosenOne ? "halo chosen" : "halo");
    pawn.append(ring);
  }
  function markPawns(places, onClick) {
    if (!svg) return;
    for (const place of places)
      for (const pawn of drawn("pawn", place)) {
        pawn.classList.add("can");
        halo(pawn, false);
        actions.set(pawn, () => onClick(place));
      }
  }
  function markChosen(place) {
    if (svg) for (const pawn of drawn("pawn", place).slice(0, 1)) halo(pawn, true);
  }
  function markTargets(parts, onClick) {
    if (!svg) return;
    for (const part of parts) {
      const pawns = drawn("pawn", part.target);
      for (const one of [...drawn("field", part.target), ...pawns]) {
        one.classList.add("can");
        actions.set(one, () => onClick(part));
      }
      if (part.swap) for (const pawn of pawns) halo(pawn, false);
    }
  }
  function burn(place) {
    if (!svg) return;
    for (const pawn of svg.querySelectorAll(`.pawn[data-place="${place}"]`)) {
      if (pawn.querySelector(".burnt")) continue;
      const cross = document.createElementNS(SVG, "path");
      cross.setAttribute("d", "M-22 -22 L22 22 M22 -22 L-22 22");
      cross.setAttribute("class", "burnt");
      cross.setAttribute("stroke", "#a3230f");
      cross.setAttribute("stroke-width", "8");
      const title = document.createElementNS(SVG, "title");
      title.textContent = words.burnt;
      cross.append(title);
      pawn.append(cross);
    }
  }

  function trim(count) {
    while (options.childElementCount > count) options.lastElementChild.remove();
  }
  function check(number, item) {
    const radio = options.children[number]?.querySelectorAll("input")[item];
    if (radio) radio.checked = true;
  }
  function tell(text) {
    line.textContent = text;
  }

  const again = document.createElement("button");
  again.type = "button";
  again.className = "again";
  again.textContent = words.again;
  again.addEventListener("click", () => {
    undo();
    chosen = nothing();
    draw(0);
  });
  box.querySelector(".so-far").append(again);

  // who writes an order means that one
  field.addEventListener("input", () => {
    const written = field.value;
    undo();
    field.value = written;
    clear();
  });

  const typed = field.value;
  root.classList.add("js");
  box.hidden = false;
  for (const radio of root.querySelectorAll(".plain input")) radio.disabled = true;
  draw(0);
  field.value = typed;
})();
