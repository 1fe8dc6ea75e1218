// Choosing in the skirmish: pointing at the map, building and deploying by fields. No rule and no
// notation is known here: what is pointed at picks one of the orders that the page lists, or goes to
// the service as fields, which says what order they come to and what it would do.
"use strict";

(() => {
  const root = document.getElementById("skirmish");
  const svg = document.querySelector("svg.skirmish-map");
  if (!root) return;
  const { field, fill, words } = turn;
  const SVG = "http://www.w3.org/2000/svg";

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
    [...new FormData(turn.form)].filter(([name, value]) => name.startsWith("pick-") && value);

  const frame = svg?.closest(".map-window");
  // on a narrow page what a tap means and what comes of it stand at the foot of the map, with the
  // button that goes on: the form is screens further down
  const narrow = matchMedia("not all and (min-width: 60rem)");
  function footOfMap(box) {
    const home = box.parentElement,
      after = box.nextSibling;
    const goOn = make("p", "", box),
      button = make("button", document.getElementById("preview").textContent, goOn);
    goOn.className = "go-on";
    button.type = "button";
    button.addEventListener("click", () => document.getElementById("preview").click());
    function put() {
      if (narrow.matches) frame.after(box);
      else home.insertBefore(box, after);
    }
    narrow.addEventListener("change", put);
    put();
  }
  // scrolls the window of the map, not the page
  function bringIntoView(x, y, floor) {
    const at = new DOMPoint(...onMap(x, y, floor)).matrixTransform(svg.getScreenCTM());
    const seen = frame.getBoundingClientRect();
    if (frame.scrollWidth > frame.clientWidth)
      frame.scrollLeft += at.x - seen.left - frame.clientWidth / 2;
    if (frame.scrollHeight > frame.clientHeight)
      frame.scrollTop += at.y - seen.top - frame.clientHeight / 2;
  }

  const depth = svg ? svg.dataset.depth / 50 : 0;
  const mapX = (inches) => inches * 20;
  const mapY = (inches) => depth - inches * 20;
  // plans of the floors above the ground lie beside the map, each moved from its place
  const floors = svg
    ? [...svg.querySelectorAll("g.floor")].map((plan) => ({
        name: plan.dataset.floor,
        dx: Number(plan.dataset.dx),
        dy: Number(plan.dataset.dy),
        rect: plan.dataset.rect.split(",").map((value) => value / 1000),
      }))
    : [];
  function onMap(x, y, floor) {
    const plan = floors.find((one) => one.name === floor);
    return [mapX(x) + (plan ? plan.dx : 0), mapY(y) + (plan ? plan.dy : 0)];
  }
  // where on the table an event points: inches and the floor, or null
  function pointed(event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(
      svg.getScreenCTM().inverse(),
    );
    const spot = (plan) => ({
      x: (at.x - (plan?.dx ?? 0)) / 20,
      y: (depth - at.y + (plan?.dy ?? 0)) / 20,
      floor: plan?.name ?? "ground",
    });
    for (const plan of floors) {
      const { x, y } = spot(plan),
        [west, south, east, north] = plan.rect;
      if (x >= west - 0.5 && x <= east + 0.5 && y >= south - 0.5 && y <= north + 0.5)
        return spot(plan);
    }
    const ground = spot(),
      wide = svg.dataset.width / 1000,
      deep = svg.dataset.depth / 1000;
    return ground.x >= 0 && ground.y >= 0 && ground.x <= wide && ground.y <= deep ? ground : null;
  }
  const coordinates = (text) => text.split(",").map(Number);

  // --- an activation: ground, targets, and what else is pointed at ---

  function activation() {
    const box = root.querySelector(".live-map");
    const live = box.querySelector(".live");
    const tools = box.querySelector(".tools");
    const layer = svg.querySelector(".reach");
    const men = [...root.querySelectorAll("details.man")];
    const lists = [...root.querySelectorAll('select[name="order"]')];
    const wait = root.querySelector("#wait");
    let man = null,
      tool = null,
      ways = {},
      climbs = [];
    const who = () => man.dataset.name;

    function choose(next) {
      man = next;
      ways = Object.fromEntries(
        [...man.querySelectorAll("select.where optgroup")].map((group) => [
          group.dataset.gait,
          [...group.children].map(goal),
        ]),
      );
      climbs = [...man.querySelectorAll("input[data-at]")].map(goal);
      for (const chosen of svg.querySelectorAll(".model.chosen")) chosen.classList.remove("chosen");
      for (const sign of svg.querySelectorAll(`.model[data-place="${who()}"]`))
        sign.classList.add("chosen");
      offer();
      show();
      bringIntoView(...coordinates(man.dataset.at), man.dataset.floor);
    }
    // a listed order and where it leads
    function goal(listed) {
      const [x, y] = coordinates(listed.dataset.at);
      return {
        listed,
        x,
        y,
        floor: listed.dataset.floor ?? man.dataset.floor,
        ap: listed.dataset.ap,
      };
    }
    // one button for each thing that pointing can mean for this man
    function offer() {
      const before = tool?.dataset.tool;
      tools.replaceChildren(man.querySelector("template.tools").content.cloneNode(true));
      const buttons = [...tools.children];
      tool = buttons.find((button) => button.dataset.tool === before) ?? buttons[0] ?? null;
      for (const button of buttons)
        button.addEventListener("click", () => {
          tool = button;
          show();
        });
    }
    const kind = () => tool?.dataset.kind ?? "go";
    const goals = () => ways[tool?.dataset.tool] ?? [];
    function show() {
      for (const button of tools.children) button.setAttribute("aria-pressed", button === tool);
      layer.replaceChildren();
      if (kind() === "go") {
        for (const way of goals()) dot(way, tool.dataset.tool === "run" ? "runs" : "walks");
        for (const climb of climbs) dot(climb, "climbs");
      }
      live.textContent = fill(words[kind()], { model: who() });
    }
    function dot({ x, y, floor, ap }, looks) {
      const [cx, cy] = onMap(x, y, floor);
      const mark = draw("g", { transform: `translate(${cx} ${cy})`, class: looks }, layer);
      const shapes = {
        walks: ["circle", { r: 9 }],
        runs: ["rect", { x: -9, y: -9, width: 18, height: 18 }],
        climbs: ["path", { d: "M0 -14 L13 9 H-13 Z" }],
      };
      draw(...shapes[looks], mark);
      draw("text", { y: 5, "text-anchor": "middle", "font-size": 13 }, mark).textContent = ap;
    }
    function nearest(spot, among) {
      let best = null,
        far = 1.6;
      for (const one of among) {
        if (one.floor !== spot.floor) continue;
        const away = Math.hypot(one.x - spot.x, one.y - spot.y);
        if (away < far) [best, far] = [one, away];
      }
      return best;
    }

    // Everything but this one is chosen no more.
    function only(kept) {
      turn.forget();
      for (const list of lists) if (list !== kept) list.value = "";
      if (wait && kept !== wait) wait.value = "";
    }
    const told = (element) => element.innerText.replace(/\s+/g, " ").trim();
    function takeRadio(radio) {
      only(radio);
      turn.choose(radio);
      live.textContent = told(radio.closest("label"));
    }
    function takeLine(list) {
      only(list);
      turn.write(list.value);
      const chosen = list.selectedOptions[0];
      live.textContent = chosen.dataset.ap
        ? fill(words.goes, { order: list.value, ap: chosen.dataset.ap })
        : list.value;
    }
    // what an order comes to, and what it would take in: the service knows
    async function ask(fields) {
      const said = await turn.preview(fields);
      if (!said) return null;
      if (said.problem) {
        turn.write("");
        live.textContent = said.problem;
        return null;
      }
      turn.write(said.order);
      const effect = new DOMParser()
        .parseFromString(said.effect, "text/html")
        .querySelector(".effect");
      live.textContent = [
        said.order,
        ...[...(effect?.children ?? [])].map((line) =>
          line.textContent.replace(/\s+/g, " ").trim(),
        ),
      ].join(" · ");
      return effect ? takeIn(effect.dataset) : null;
    }
    // the ground that bursts and how far from the mark a miss may fall, or the sector that is watched
    function takeIn(data) {
      layer.replaceChildren();
      if (data.sector) {
        const floor = watcher()?.dataset.floor;
        const corners = data.sector
          .split(" ")
          .map((corner) => onMap(...coordinates(corner).map((value) => value / 1000), floor));
        draw("polygon", { points: corners.join(" "), class: "sector" }, layer);
      }
      if (data.area) {
        const [x, y, radius, scatter] = data.area.split(" ").map((value) => value / 1000);
        const [cx, cy] = onMap(x, y, data.floor);
        draw("circle", { cx, cy, r: mapX(radius), class: "blast" }, layer);
        if (scatter) draw("circle", { cx, cy, r: mapX(scatter), class: "scatter" }, layer);
        draw(
          "path",
          { d: `M${cx - 8} ${cy} H${cx + 8} M${cx} ${cy - 8} V${cy + 8}`, class: "mark" },
          layer,
        );
      }
      return data;
    }

    function shoot(target) {
      const list = man.querySelector(`details.target[data-target="${target}"]`);
      for (const other of man.querySelectorAll("details.target")) other.open = other === list;
      const shot = list?.querySelector('input[name="order"]');
      if (shot) takeRadio(shot);
      else live.textContent = fill(words.noShot, { target });
    }
    function go(spot) {
      const found = nearest(spot, [...goals(), ...climbs]);
      if (!found) {
        live.textContent = words.tooFar;
      } else if (found.listed.type === "radio") {
        takeRadio(found.listed);
      } else {
        const list = found.listed.closest("select");
        list.value = found.listed.value;
        takeLine(list);
      }
    }
    // what is pointed at, as fields
    const at = (spot, target) => [
      ["pick-man", who()],
      ["pick-tool", tool.dataset.tool],
      ["pick-east", spot.x],
      ["pick-north", spot.y],
      ["pick-floor", spot.floor],
      ["pick-target", target ?? ""],
    ];
    function aimAt(spot, target) {
      only(null);
      ask(at(spot, target));
    }
    // a sector: the spot is its middle and its far end
    const watcher = () =>
      men.find((one) => one.dataset.name === wait?.selectedOptions[0]?.parentElement.label);
    async function watch(spot) {
      only(wait);
      if (watcher() !== man)
        wait.value = wait.querySelector(`optgroup[label="${who()}"] option`).value;
      const fields = picks().filter(([name]) => /^pick-(wait|at|chance)$/.test(name));
      const data = await ask([...fields, ...at(spot)]);
      if (!data) return;
      wait.closest("details").open = true;
      const [from, to] = data.arc.split(" ");
      for (const [name, value] of Object.entries({ from, to, range: data.range }))
        root.querySelector(`#wait-${name}`).value = value;
    }

    for (const one of men) {
      one.addEventListener("toggle", () => {
        if (!one.open || one === man) return;
        for (const other of men) if (other !== one) other.open = false;
        choose(one);
      });
    }
    for (const list of lists) {
      list.addEventListener("change", () => {
        takeLine(list);
        if (list.value && list.matches(".whole")) ask([["order", list.value]]);
      });
    }
    for (const part of root.querySelectorAll(".waiting select, .waiting input")) {
      part.addEventListener("change", () => {
        if (!wait.value) return;
        only(wait);
        ask(picks());
      });
    }
    for (const radio of root.querySelectorAll('input[name="order"]'))
      radio.addEventListener("change", () => takeRadio(radio));
    field.addEventListener("input", () => only(null));

    svg.addEventListener("mousemove", (event) => {
      const spot = man && pointed(event);
      if (!spot || kind() !== "go" || event.target.closest(".model")) return;
      const along = nearest(spot, goals());
      if (along) live.textContent = along.listed.textContent;
    });
    svg.addEventListener("click", (event) => {
      const name = event.target.closest(".model")?.dataset.place;
      const own = name && men.find((one) => one.dataset.name === name);
      const spot = pointed(event);
      if (own && kind() === "go") own.open = true;
      else if (!man || !spot || !tool) return;
      else if (kind() === "wait") watch(spot);
      else if (kind() !== "go") aimAt(spot, name);
      else if (name) shoot(name);
      else go(spot);
    });
    box.hidden = false;
    footOfMap(box);
    const first = men.find((one) => one.open) ?? men[0];
    if (first) choose(first);
  }

  // --- deployment ---

  function deployment() {
    const box = root.querySelector(".deployer");
    const layer = svg.querySelector(".reach");
    const live = box.querySelector(".live");
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
      button.addEventListener("click", () => pick(place));
      return button;
    });
    function pick(place) {
      chosen = place;
      for (const { row } of places) row.hidden = row !== place.row;
      show();
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
        live.textContent = said.problem;
      } else {
        turn.write(said.order);
        const spot = [place.east, place.north].map(number).join(",");
        live.textContent = fill(words.placed, { model: place.name, spot });
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
    svg.addEventListener("click", async (event) => {
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
    });
    for (const radio of root.querySelectorAll('input[name="order"]'))
      radio.addEventListener("change", clear);
    field.addEventListener("input", clear);
    root.querySelector("details.places").hidden = true;
    box.append(...rows);
    box.hidden = false;
    footOfMap(box);
    pick(chosen);
    bringIntoView(...spotOf(chosen));
    live.textContent = words.place;
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
      const button = make("button", `${thing.value} ✕`);
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
      live.textContent = fill(total > limit ? words.over : words.left, {
        total,
        limit,
        left: limit - total,
        over: total - limit,
      });
      turn.write("");
      const said = holder.children.length ? await turn.preview(picks()) : null;
      if (said?.problem) live.textContent = said.problem;
      else if (said) turn.write(said.order);
    }
    // what is typed, or taken from the list, counts instead of what was put together
    function leave() {
      turn.forget();
      for (const part of holder.querySelectorAll("input")) part.disabled = true;
    }
    for (const radio of root.querySelectorAll('input[name="order"]'))
      radio.addEventListener("change", leave);
    field.addEventListener("input", leave);
    box.querySelector(".add button").addEventListener("click", add);
    live.textContent = fill(words.left, { total: 0, limit, left: limit });
    box.hidden = false;
  }

  const stage = root.dataset.stage;
  if (stage === "building") building();
  else if (svg && stage === "deployment") deployment();
  else if (svg && stage === "orders") activation();
})();
