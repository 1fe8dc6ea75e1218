// Choosing in the skirmish: telling orders on the map, building and deploying by fields. No rule and
// no notation is known here: what is tapped picks one of the orders that the page lists, or goes to the
// service as fields. After each order the service sends the page as it would be then, and what of it has
// changed is put in place; nothing is played before the whole list is confirmed.
"use strict";

(() => {
  let root = document.getElementById("skirmish");
  if (!root) return;
  const { field, fill, form, icon, words, say, ready } = turn;
  const map = window.tableMap;
  const SVG = "http://www.w3.org/2000/svg";
  // so near, in pixels, is a sign or a place meant by a tap
  const SIGN = 22,
    PLACE = 28;

  function make(tag, text, into) {
    const made = document.createElement(tag);
    if (text) made.textContent = text;
    if (into) into.append(made);
    return made;
  }
  function draw(tag, values, into) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(values)) made.setAttribute(name, value);
    into.append(made);
    return made;
  }
  // the fields that the service puts an order together of
  const picks = () =>
    [...new FormData(form)].filter(([name, value]) => name.startsWith("pick-") && value);

  // --- places on the map ---

  const svg = () => map?.svg;
  const mapX = (inches) => inches * 20;
  const mapY = (inches) => svg().dataset.depth / 50 - inches * 20;
  // plans of the floors above the ground lie beside the map, each moved from its place
  const floors = () =>
    [...svg().querySelectorAll("g.floor")].map((plan) => ({
      name: plan.dataset.floor,
      dx: Number(plan.dataset.dx),
      dy: Number(plan.dataset.dy),
      rect: plan.dataset.rect.split(",").map((value) => value / 1000),
    }));
  function onMap(x, y, floor) {
    const plan = floors().find((one) => one.name === floor);
    return [mapX(x) + (plan ? plan.dx : 0), mapY(y) + (plan ? plan.dy : 0)];
  }
  // where on the table an event points: inches and the floor, or null
  function pointed(event) {
    const at = map.onDrawing(event.clientX, event.clientY),
      depth = mapY(0);
    const spot = (plan) => ({
      x: (at.x - (plan?.dx ?? 0)) / 20,
      y: (depth - at.y + (plan?.dy ?? 0)) / 20,
      floor: plan?.name ?? "ground",
    });
    for (const plan of floors()) {
      const { x, y } = spot(plan),
        [west, south, east, north] = plan.rect;
      if (x >= west - 0.5 && x <= east + 0.5 && y >= south - 0.5 && y <= north + 0.5)
        return spot(plan);
    }
    const ground = spot(),
      wide = svg().dataset.width / 1000,
      deep = svg().dataset.depth / 1000;
    return ground.x >= 0 && ground.y >= 0 && ground.x <= wide && ground.y <= deep ? ground : null;
  }
  const coordinates = (text) => text.split(",").map(Number);
  const signs = () => [...svg().querySelectorAll(".model[data-place]")];
  function middle(sign) {
    const box = sign.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  }
  // where somebody's sign is in the drawing
  function signOf(name) {
    const sign = signs().find((one) => one.dataset.place === name);
    return sign ? map.onDrawing(...middle(sign)) : null;
  }
  // whose sign a tap means, or undefined
  function named(event) {
    const direct = event.target.closest?.(".model[data-place]");
    if (direct) return direct.dataset.place;
    const away = (sign) => {
      const [x, y] = middle(sign);
      return Math.hypot(x - event.clientX, y - event.clientY);
    };
    const near = signs().filter((sign) => away(sign) <= SIGN);
    near.sort((one, other) => away(one) - away(other));
    return near[0]?.dataset.place;
  }

  // --- the list of orders ---

  const queue = () => root.querySelector('[name="queue"]');
  const lines = () => queue().value.split("\n").filter(Boolean);
  let busy = false;

  // Adds an order to the list, or begins it anew with others; the page is then as after it, and about
  // one man.
  async function tell(fields, before = lines(), about = who) {
    if (busy) return;
    busy = true;
    root.setAttribute("aria-busy", "true");
    const given = new URLSearchParams(fields);
    given.set("queue", before.join("\n"));
    given.set("then", "yes");
    given.set("about", about);
    const answer = await fetch(form.action, {
      method: "POST",
      headers: { Accept: "text/html" },
      body: given,
    })
      .then((reply) => reply.text())
      .catch(() => null);
    busy = false;
    root.removeAttribute("aria-busy");
    if (answer === null) return say(words.unsent);
    const page = new DOMParser().parseFromString(answer, "text/html");
    const problem = page.querySelector("#problem strong");
    if (problem) say(problem.textContent);
    else if (page.getElementById("skirmish")) {
      who = about;
      takeIn(page);
    } else end(given);
  }
  // after the last order nobody can be told anything more: it is to be confirmed, or the turn is closed
  function end(given) {
    field.value = given.get("order") ?? "";
    document.getElementById("preview").removeAttribute("aria-disabled");
    form.requestSubmit(document.getElementById("preview"));
  }
  function takeIn(page) {
    const size = map.size,
      scroll = [map.frame.scrollLeft, map.frame.scrollTop];
    turn.write("");
    for (const [here, there] of [
      [root, page.getElementById("skirmish")],
      [svg(), page.querySelector("svg.skirmish-map")],
    ])
      here.replaceWith(document.adoptNode(there));
    root = document.getElementById("skirmish");
    map.size = size;
    [map.frame.scrollLeft, map.frame.scrollTop] = scroll;
    begin();
    // what had the focus is gone with the old part: keys and screen readers go on with the man
    if (document.activeElement === document.body)
      root.querySelector('.squad [aria-pressed="true"]')?.focus({ preventScroll: true });
  }

  // what was taken from a list of whole orders, in the bar
  const sayRadio = (radio) =>
    say(radio.closest("label").querySelector("span").textContent.trim(), words.sure);

  // what taking one of the listed orders does, now or before the preview
  function eachRadio(act, within = root) {
    for (const radio of within.querySelectorAll('input[name="order"]')) {
      radio.addEventListener("change", () => act(radio));
      if (radio.checked) act(radio);
    }
  }

  // what a tap on the map means now
  let tap = null;
  map?.frame.addEventListener("click", (event) => tap?.(event));
  // what is chosen in the lists or typed joins the orders by a button
  const then = document.getElementById("then");
  then?.addEventListener("click", (event) => {
    event.preventDefault();
    tell([...new FormData(form)].filter(([name, value]) => value && name !== "queue"));
  });
  let typed = null;
  field.addEventListener("input", () => typed?.());
  // who is told something, from one order to the next
  let who = "";

  // --- whom to activate ---

  function activation() {
    const teams = [...root.querySelectorAll(".teams label")].map((label) => ({
      men: label.dataset.places.split(" "),
      radio: label.querySelector("input"),
    }));
    const activate = ({ radio }, first = "") => tell([["order", radio.value]], lines(), first);
    for (const team of teams) team.radio.addEventListener("change", () => activate(team));
    for (const sign of signs()) {
      const name = sign.dataset.place;
      const team = teams.find(({ men }) => men.includes(name));
      sign.classList.toggle("can", Boolean(team));
      if (team) sign.dataset.choice = name;
    }
    tap = (event) => {
      const name = named(event);
      const team = teams.find(({ men }) => men.includes(name));
      if (team) activate(team, name);
    };
    then.hidden = true;
    ready(false);
    say(words.activate, words.sure);
    eachRadio((radio) => {
      turn.choose(radio);
      then.hidden = false;
      ready(true);
    }, root.querySelector(".others"));
  }

  // --- an activation: ground, targets, and what else is pointed at ---

  function orders() {
    const layer = svg().querySelector(".reach");
    const men = [...root.querySelectorAll(".man")];
    const chips = [...root.querySelectorAll(".squad button")];
    const [told, tools] = [".told", ".now .tools"].map((part) => root.querySelector(part));
    const [up, shots] = root.querySelectorAll(".now .shots");
    const lists = [...root.querySelectorAll('select[name="order"]')];
    const wait = root.querySelector("#wait");
    let man = null,
      tool = null,
      ways = {},
      climbs = [];

    for (const part of root.querySelectorAll(".scripted")) part.hidden = false;
    root.querySelector("details.all").open = false;

    // a listed order and where it leads
    function goal(listed) {
      const [x, y] = coordinates(listed.dataset.at);
      const floor = listed.dataset.floor ?? man.dataset.floor;
      return { listed, x, y, floor };
    }
    function choose(next) {
      // the page lists the orders of one man: the service has those of the others
      if (next.href) return tell([], lines(), next.dataset.name);
      man = next;
      who = man.dataset.name;
      for (const one of men) {
        one.open = one === man;
        one.hidden = one !== man;
      }
      for (const chip of chips) chip.setAttribute("aria-pressed", chip.dataset.man === who);
      for (const one of told.children) one.classList.toggle("his", one.dataset.man === who);
      ways = Object.fromEntries(
        [...man.querySelectorAll("select.where optgroup")].map((group) => [
          group.dataset.gait,
          [...group.children].map(goal),
        ]),
      );
      climbs = [...man.querySelectorAll("input[data-at]")].map(goal);
      about();
      offer();
      show();
    }
    // who he is, and what he has left
    function about() {
      const line = root.querySelector(".now .who");
      line.replaceChildren();
      make("strong", who, line);
      make("span", man.dataset.said, line);
      const pips = make("i", "", line);
      pips.setAttribute("aria-hidden", "true");
      for (let pip = 0; pip < man.dataset.pool; pip += 1)
        make("b", "", pips).className = pip < man.dataset.left ? "" : "gone";
      make("em", fill(words.ap, { ap: man.dataset.left }), line);
    }
    // one button for each thing that pointing can mean for this man, and for what needs no place
    function offer() {
      tools.replaceChildren(man.querySelector("template.tools").content.cloneNode(true));
      const buttons = [...tools.children];
      tool = buttons.find((button) => button.dataset.kind === "go") ?? null;
      for (const button of buttons)
        button.addEventListener("click", () => {
          if (button.dataset.order) tell([["order", button.dataset.order]]);
          else {
            tool = button;
            show();
          }
        });
      const ending = root.querySelector('details.all > ul.orders input[name="order"]');
      const last = make("button", words.end, tools);
      last.type = "button";
      last.className = "ends";
      last.dataset.choice = ending.value;
      last.addEventListener("click", () => tell([["order", ending.value]]));
    }
    const kind = () => tool?.dataset.kind ?? "";
    const goals = () => ways[tool?.dataset.tool] ?? [];

    // --- what the map shows of him ---

    function show() {
      for (const button of tools.children)
        if (button.dataset.kind) button.setAttribute("aria-pressed", button === tool);
      up.hidden = shots.hidden = true;
      layer.replaceChildren();
      if (kind() === "go") rings();
      effects();
      for (const climb of climbs) peak(climb);
      const at = signOf(who);
      if (kind() === "go" && at) sight(at);
      if (at) draw("circle", { cx: at.x, cy: at.y, r: 24, class: "chosen" }, layer);
      for (const one of told.querySelectorAll("[data-hits]")) {
        const hit = signOf(one.dataset.hits);
        if (hit) draw("circle", { cx: hit.x, cy: hit.y, r: 24, class: "hit" }, layer);
      }
      report();
    }
    function rings() {
      const group = man.querySelector(`optgroup[data-gait="${tool.dataset.tool}"]`);
      const byAp = new Map();
      for (const line of group.dataset.rings.split(";").filter(Boolean)) {
        const [ap, ...points] = line.split(" ");
        const places = points.map((point) =>
          onMap(...coordinates(point).map((tenths) => tenths / 10), man.dataset.floor),
        );
        byAp.set(ap, [...(byAp.get(ap) ?? []), places]);
      }
      const found = [...byAp].toReversed();
      found.forEach(([, all], at) =>
        draw(
          "path",
          { d: all.map(smooth).join(""), class: `ring ring-${found.length - at}` },
          layer,
        ),
      );
      for (const [ap, all] of found) {
        const far = ([x, y]) => x + y;
        const [x, y] = all.flat().reduce((best, one) => (far(one) > far(best) ? one : best));
        const mark = draw("g", { transform: `translate(${x} ${y})`, class: "cost" }, layer);
        draw("circle", { r: 11 }, mark);
        draw("text", { y: 5, "text-anchor": "middle", "font-size": 13.5 }, mark).textContent = ap;
      }
    }
    // a closed line through the middles of its stretches
    function smooth(points) {
      const half = ([a, b], [c, d]) => `${((a + c) / 2).toFixed(1)} ${((b + d) / 2).toFixed(1)}`;
      const turns = points.map((point, at) => {
        const next = points[(at + 1) % points.length];
        return `Q${point[0].toFixed(1)} ${point[1].toFixed(1)} ${half(point, next)}`;
      });
      return `M${half(points.at(-1), points[0])}${turns.join("")}Z`;
    }
    function peak({ x, y, floor, listed }) {
      const [cx, cy] = onMap(x, y, floor);
      const mark = draw("g", { transform: `translate(${cx} ${cy})`, class: "climbs" }, layer);
      draw("path", { d: "M0 -14 L13 9 H-13 Z" }, mark);
      draw("text", { y: 5, "text-anchor": "middle", "font-size": 13 }, mark).textContent =
        listed.dataset.ap;
    }
    function sight(from) {
      const pills = [];
      for (const target of man.querySelectorAll("details.target[data-percent]")) {
        const at = signOf(target.dataset.target);
        if (!at) continue;
        const line = `M${from.x} ${from.y}L${at.x} ${at.y}`;
        draw("path", { d: line, class: "sees-under" }, layer);
        draw("path", { d: line, class: "sees" }, layer);
        // signs side by side have their numbers one above the other; where the map ends, below
        const free = (y, step) => {
          while (pills.some(([x, other]) => Math.abs(x - at.x) < 60 && Math.abs(other - y) < 28))
            y += step;
          return y;
        };
        const above = free(at.y - 38, -28);
        const high = above < svg().viewBox.baseVal.y + 14 ? free(at.y + 44, 28) : above;
        pills.push([at.x, high]);
        const pill = draw("g", { transform: `translate(${at.x} ${high})`, class: "odds" }, layer);
        draw("rect", { x: -29, y: -13, width: 58, height: 26, rx: 13 }, pill);
        draw("text", { y: 5.5, "text-anchor": "middle", "font-size": 16 }, pill).textContent =
          `${target.dataset.percent} %`;
      }
    }
    // the ground that bursts and how far from the mark a miss may fall, the sectors that are watched
    function effects() {
      for (const one of told.children) {
        const data = one.querySelector(".effect")?.dataset ?? {};
        const his = men.find((each) => each.dataset.name === one.dataset.man);
        if (data.sector) {
          const corners = data.sector
            .split(" ")
            .map((corner) =>
              onMap(...coordinates(corner).map((value) => value / 1000), his?.dataset.floor),
            );
          draw("polygon", { points: corners.join(" "), class: "sector" }, layer);
        }
        if (data.area) {
          const [x, y, radius, scatter] = data.area.split(" ").map((value) => value / 1000);
          const [cx, cy] = onMap(x, y, data.floor);
          draw("circle", { cx, cy, r: mapX(radius), class: "blast" }, layer);
          if (scatter) draw("circle", { cx, cy, r: mapX(scatter), class: "scatter" }, layer);
          const d = `M${cx - 8} ${cy} H${cx + 8} M${cx} ${cy - 8} V${cy + 8}`;
          draw("path", { d, class: "mark" }, layer);
        }
      }
    }
    // what is told so far, in the bar
    function report() {
      const number = told.children.length,
        dice = told.querySelectorAll("strong").length;
      if (pending()) return;
      const listed = number === 1 ? words.order : fill(words.orders, { number });
      if (!number) say(words[kind()] ?? words.pick, words.sure);
      else if (tool && kind() !== "go") say(words[kind()], listed);
      else say(listed, dice ? fill(words.chance, { number: dice }) : words.sure);
      ready(number > 0);
    }

    // --- taps ---

    function nearest(spot, among) {
      let best = null,
        far = Math.max(1.6, PLACE / map.inch);
      for (const one of among) {
        if (one.floor !== spot.floor) continue;
        const away = Math.hypot(one.x - spot.x, one.y - spot.y);
        if (away < far) [best, far] = [one, away];
      }
      return best;
    }
    function go(spot) {
      const found = nearest(spot, [...goals(), ...climbs]);
      if (found) tell([["order", found.listed.value]]);
      else say(words.tooFar);
    }
    // what he can do to an enemy: shoot, strike, or go up to him
    function meet(target) {
      const list = [...man.querySelectorAll("details.target")].find(
        (one) => one.dataset.target === target,
      );
      const found = [...man.querySelectorAll(`[data-places~="${target}"] input[name="order"]`)].map(
        (one) => one.closest("label"),
      );
      const near = [...man.querySelectorAll("select.where [data-to]")].filter(
        (one) => one.dataset.to === target,
      );
      for (const [row, all] of [
        [up, near],
        [shots, found],
      ]) {
        row.replaceChildren();
        row.hidden = !all.length;
        for (const one of all) {
          const order = one.value ?? one.querySelector("input").value;
          const said = one.dataset.short ?? one.querySelector("span").textContent.trim();
          const button = make("button", said, row);
          button.type = "button";
          button.dataset.choice = order;
          button.addEventListener("click", () => tell([["order", order]]));
        }
      }
      const why = list?.querySelector(".why-not")?.textContent.replace(/\s+/g, " ").trim();
      if (found.length) say(fill(words.seen, { target }), words.sure);
      else say(fill(words.noShot, { target }), why ?? "");
    }
    // what is pointed at, as fields
    const at = (spot, target) => [
      ["pick-man", who],
      ["pick-tool", tool.dataset.tool],
      ["pick-east", spot.x],
      ["pick-north", spot.y],
      ["pick-floor", spot.floor],
      ["pick-target", target ?? ""],
    ];
    tap = (event) => {
      const name = named(event);
      const own = name && men.find((one) => one.dataset.name === name);
      const spot = pointed(event);
      const free = kind() === "go" || !tool;
      if (own && free) choose(own);
      else if (!man || !spot) return;
      else if (name && free) meet(name);
      else if (!tool) return;
      else if (kind() !== "go") tell(at(spot, name));
      else go(spot);
    };
    for (const chip of chips)
      chip.addEventListener("click", () => {
        choose(men.find((one) => one.dataset.name === chip.dataset.man));
        const place = signOf(who);
        if (place) map.show([place.x, place.y]);
      });
    for (const [number, one] of [...told.children].entries()) {
      const button = make("button", "", one);
      button.type = "button";
      button.innerHTML = icon("cross");
      button.setAttribute("aria-label", `${words.takeBack}: ${one.dataset.order}`);
      button.addEventListener("click", () => tell([], lines().toSpliced(number, 1)));
    }

    // --- the lists: what is chosen there joins the orders by a button ---

    const pending = () =>
      field.value !== "" ||
      wait?.value ||
      [...root.querySelectorAll('input[type="radio"][name="order"]')].some((one) => one.checked);
    const sayable = (radio) => radio.closest("label").textContent.replace(/\s+/g, " ").trim();
    // Everything but this one is chosen no more.
    function only(kept) {
      turn.forget();
      for (const list of lists) if (list !== kept) list.value = "";
      if (wait && kept !== wait) wait.value = "";
      then.hidden = false;
      ready(true);
    }
    function takeLine(list) {
      only(list);
      turn.write(list.value);
      const chosen = list.selectedOptions[0];
      say(
        chosen.dataset.ap
          ? fill(words.goes, { order: list.value, ap: chosen.dataset.ap })
          : list.value,
      );
    }
    // what an order that was put together comes to: the service knows
    async function ask() {
      const said = await turn.preview([["queue", queue().value], ...picks()]);
      if (said) say(said.problem ?? said.order ?? said.orders.at(-1).order);
    }
    for (const list of lists) list.addEventListener("change", () => takeLine(list));
    for (const radio of root.querySelectorAll('input[name="order"]'))
      radio.addEventListener("change", () => {
        only(null);
        turn.choose(radio);
        say(sayable(radio));
      });
    // only what may follow with this weapon
    function follow() {
      const may = wait.selectedOptions[0]?.dataset.extras?.split(" ") ?? [];
      for (const box of root.querySelectorAll(".waiting .extra input")) {
        const not = !may.includes(box.name.slice("pick-".length));
        box.closest("label").hidden = not;
        if (not) box.checked = false;
      }
    }
    if (wait) follow();
    wait?.addEventListener("change", follow);
    for (const part of root.querySelectorAll(".waiting select, .waiting input"))
      part.addEventListener("change", () => {
        if (!wait.value) return;
        turn.write("");
        only(wait);
        ask();
      });
    then.hidden = true;
    typed = () => {
      only(null);
      then.hidden = field.value === "";
    };

    const first =
      men.find((one) => one.dataset.name === who) ?? men.find((one) => one.open) ?? men[0];
    if (first) choose(first);
    // what was told last is in sight
    told.scrollTop = told.scrollHeight;
    if (!pending()) return;
    // what was chosen in the lists before the preview
    then.hidden = false;
    ready(true);
    if (wait?.value) ask();
    else say(field.value || sayable(root.querySelector('input[name="order"]:checked')));
  }

  // --- one of two ---

  function choosing() {
    ready(false);
    say(root.querySelector(".why").textContent.trim(), words.sure);
    eachRadio((radio) => {
      ready(true);
      sayRadio(radio);
    });
  }

  // --- deployment ---

  function deployment() {
    const box = root.querySelector(".deployer");
    const layer = svg().querySelector(".reach");
    const rows = [...root.querySelectorAll("fieldset.how")];
    const places = rows.map((row) => {
      const part = (name) => row.querySelector(`[name="pick-${name}-${row.dataset.name}"]`);
      const parts = {
        east: part("east"),
        north: part("north"),
        facing: part("facing"),
        floor: part("floor"),
        lying: part("lying"),
      };
      return { name: row.dataset.name, short: row.dataset.short, row, ...parts };
    });
    const number = (part) => Number(part.value || part.placeholder);
    const spotOf = (place) => [
      number(place.east),
      number(place.north),
      place.floor?.value || "ground",
    ];
    const held = (place) => [
      place.east.value,
      place.north.value,
      place.floor?.value,
      place.facing.value,
      place.lying.checked,
    ];
    let chosen = places[0];
    const buttons = places.map((place) => {
      const button = make("button", place.name, box.querySelector(".picks"));
      button.type = "button";
      button.dataset.choice = place.name;
      button.addEventListener("click", () => pick(place));
      return button;
    });
    function pick(place) {
      chosen = place;
      for (const { row } of places) row.hidden = row !== place.row;
      show();
      say(fill(words.place, { model: place.name }), words.sure);
    }
    function show() {
      layer.replaceChildren();
      places.forEach((place, at) => {
        buttons[at].setAttribute("aria-pressed", place === chosen);
        const [x, y] = onMap(...spotOf(place));
        const looks = place === chosen ? "placed chosen" : "placed";
        const mark = draw("g", { transform: `translate(${x} ${y})`, class: looks }, layer);
        draw(
          "path",
          { d: "M-7 -11 L0 -23 L7 -11 Z", transform: `rotate(${number(place.facing)})` },
          mark,
        );
        draw("circle", { r: 14 }, mark);
        draw("text", { y: 6, "text-anchor": "middle", "font-size": 16 }, mark).textContent =
          place.short;
      });
    }
    function set(place, [east, north, floor, facing, lying]) {
      [place.east.value, place.north.value, place.facing.value, place.lying.checked] = [
        east,
        north,
        facing,
        lying,
      ];
      if (place.floor) place.floor.value = floor;
    }
    // the service says whether a model may stand there; if not, he goes back
    async function put(place, before) {
      show();
      const said = await turn.preview(picks());
      if (!said) return false;
      if (said.problem) {
        set(place, before);
        say(said.problem);
      } else {
        turn.write(said.order);
        ready(true);
        const spot = [place.east, place.north].map(number).join(",");
        say(fill(words.placed, { model: place.name, spot }), words.sure);
      }
      show();
      return !said.problem;
    }
    function clear() {
      for (const place of places) set(place, ["", "", "", "", false]);
      show();
    }
    for (const place of places) {
      let before = held(place);
      place.row.addEventListener("focusin", () => {
        before = held(place);
      });
      place.row.addEventListener("change", async () => {
        if (await put(place, before)) before = held(place);
      });
    }
    tap = async (event) => {
      const spot = pointed(event),
        place = chosen,
        before = held(place);
      if (!spot) return;
      const tenth = (inches) => String(Math.round(inches * 10) / 10);
      set(place, [
        tenth(spot.x),
        tenth(spot.y),
        spot.floor === "ground" ? "" : spot.floor,
        place.facing.value,
        place.lying.checked,
      ]);
      const next = places[places.indexOf(place) + 1];
      if ((await put(place, before)) && next && chosen === place) pick(next);
    };
    field.addEventListener("input", clear);
    root.querySelector("details.places").hidden = true;
    box.append(...rows);
    box.hidden = false;
    ready(false);
    pick(chosen);
    map.show(onMap(...spotOf(chosen)));
    eachRadio((radio) => {
      clear();
      ready(true);
      sayRadio(radio);
    });
    if (picks().length) put(chosen, held(chosen));
  }

  // --- building a force ---

  function building() {
    const box = root.querySelector(".builder");
    const holder = box.querySelector(".teams");
    const live = box.querySelector(".live");
    const limit = Number(box.dataset.limit);
    const select = box.querySelector(".add select");
    const points = (parts) =>
      [...parts].reduce((sum, part) => sum + Number(part.dataset.points), 0);

    function add() {
      const pattern = box.querySelector(`template[data-list="${select.value}"]`);
      const copy = pattern.content.cloneNode(true),
        team = copy.querySelector("fieldset");
      const offers = copy.querySelector("select.offers");
      team.dataset.title = pattern.dataset.title;
      team.dataset.points = pattern.dataset.points;
      for (const row of team.querySelectorAll(".member")) {
        const extra = row.querySelector("select");
        extra.append(...offers.cloneNode(true).children);
        extra.value = "";
        extra.addEventListener("change", () => {
          if (extra.value) give(row, extra.selectedOptions[0]);
          extra.value = "";
        });
      }
      team.querySelector(".remove").addEventListener("click", () => {
        team.remove();
        show();
      });
      holder.append(team);
      show();
    }
    function give(row, thing) {
      const button = make("button", `${thing.value} `);
      button.insertAdjacentHTML("beforeend", icon("cross"));
      row.querySelector("select").before(button);
      button.type = "button";
      button.title = words.remove;
      button.dataset.points = thing.dataset.points;
      Object.assign(make("input", "", button), {
        type: "hidden",
        name: "pick-member",
        value: thing.value,
      });
      button.addEventListener("click", () => {
        button.remove();
        show();
      });
      show();
    }
    // the teams whose fields the form held when it was sent
    function again(given) {
      for (let at = 1; given[`list-${at}`]; at += 1) {
        select.value = `${given[`list-${at}`]} ${given[`upgrade-${at}`] ?? ""}`;
        add();
        [...holder.lastElementChild.querySelectorAll(".member")].forEach((row, member) => {
          const things = [...row.querySelector("select").options];
          for (const name of given[`member-${at}-${member + 1}`]?.split(" ") ?? []) {
            const thing = things.find(({ value }) => value === name);
            if (thing) give(row, thing);
          }
        });
      }
    }
    // each team has its number in the names of its fields, each member his
    function number() {
      [...holder.children].forEach((team, at) => {
        for (const part of ["list", "upgrade"])
          team.querySelector(`[name^="pick-${part}"]`).name = `pick-${part}-${at + 1}`;
        team.querySelectorAll(".member").forEach((row, member) => {
          for (const thing of row.querySelectorAll("input"))
            thing.name = `pick-member-${at + 1}-${member + 1}`;
        });
      });
      for (const part of holder.querySelectorAll("input")) part.disabled = false;
    }
    async function show() {
      number();
      let total = 0;
      for (const team of holder.children) {
        const sum = points([team, ...team.querySelectorAll("button[data-points]")]);
        team.querySelector("legend").textContent = `${team.dataset.title}: ${sum}`;
        total += sum;
      }
      live.classList.toggle("short", total > limit);
      live.textContent = fill(total > limit ? words.over : words.points, {
        total,
        limit,
        left: limit - total,
        over: total - limit,
      });
      turn.write("");
      say(live.textContent, words.sure);
      ready(false);
      const said = holder.children.length ? await turn.preview(picks()) : null;
      if (said?.problem) {
        live.textContent = said.problem;
        say(said.problem);
      } else if (said) {
        turn.write(said.order);
        ready(total <= limit);
      }
    }
    // what is typed, or taken from the list, counts instead of what was put together
    function leave() {
      turn.forget();
      for (const part of holder.querySelectorAll("input")) part.disabled = true;
      ready(true);
    }
    field.addEventListener("input", leave);
    box.querySelector(".add button").addEventListener("click", add);
    live.textContent = fill(words.points, { total: 0, limit, left: limit });
    say(live.textContent, words.sure);
    ready(false);
    box.hidden = false;
    eachRadio((radio) => {
      leave();
      sayRadio(radio);
    });
    again(turn.values("picked"));
  }

  function begin() {
    const stages = { activation, orders, choosing, deployment, building };
    tap = null;
    document.body.dataset.stage = root.dataset.stage;
    stages[root.dataset.stage]?.();
  }
  begin();
})();
